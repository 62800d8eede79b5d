package io.rxe.tools.pingpong;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WarmUp;
import io.rxe.tools.cli.WorkAlike;
import io.rxe.tools.side.PeerLink;
import io.rxe.tools.side.SideLink;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The four pingpong commands, which differ only in their {@link PingPongKind}. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public final class PingPongCommand implements Callable<Integer>, WorkAlike {
    private static final int MAX_SIZE_BYTES = 1 << 30;
    private static final int DEFAULT_SHARING_PAIRS = 16;

    private final PingPongKind kind;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Server to connect to; without it this is the server.")
    private String host;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "18515", order = 1,
        description = "TCP port to listen on or connect to (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 2, converter = SizeConverter.class,
        description = "Size of a message (default: 4096; datagrams 1024).")
    private Integer sizeBytes;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", defaultValue = "1024", order = 3,
        description = "Path MTU; must be the same at both ends (default: ${DEFAULT-VALUE}).")
    private int mtuBytes;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", defaultValue = "500", order = 4,
        description = "Number of receives to post (default: ${DEFAULT-VALUE}).")
    private int receiveDepth;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", defaultValue = "1000", order = 5,
        description = "Messages each way (default: ${DEFAULT-VALUE}).")
    private int iterations;

    @Option(names = {"-q", "--num-qp"}, paramLabel = "N", order = 6,
        description = "srq_pingpong: queue pairs, up to 256; the same at both ends (default: 16).")
    private Integer queuePairs;

    @Option(names = {"-c", "--chk"}, order = 7, description = "Validate the received data; srq_pingpong has nothing to compare.")
    private boolean validate;

    @Option(names = "--peer-udp-port", paramLabel = "PORT", order = 8,
        description = "UDP port of the peer's NIC (default: the same as ours).")
    private Integer peerUdpPort;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "30s", order = 9, converter = DurationConverter.class,
        description = "Give up after TIME without any completion (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    private PingPongCommand(PingPongKind kind) {
        this.kind = kind;
    }

    /** Adds those of the four that are wanted to the tree of commands. */
    public static void addTo(CommandLine parent, Predicate<String> isWanted) {
        for (PingPongKind kind : PingPongKind.values()) {
            if (isWanted.test(kind.command())) {
                WorkAlike.add(parent, kind.command(), new PingPongCommand(kind), "Exchange " + kind.exchanges() + ", as ibv_"
                    + kind.command() + " does.", "Without HOST this is the server and waits for one client.");
            }
        }
    }

    @Override
    public String stockProgram() {
        return "ibv_" + kind.command();
    }

    @Override
    public Integer call() throws IOException {
        PingPongPlan plan = plan();
        try (RxeNic opened = nic.open(spec.commandLine().getErr())) {
            return run(opened, plan);
        }
    }

    private PingPongPlan plan() {
        require("TCP port", port, 1, 65535);
        int size = sizeBytes == null ? kind.defaultSizeBytes() : sizeBytes;
        require("message size", size, 0, MAX_SIZE_BYTES);
        require("rx-depth", receiveDepth, 1, QueuePairConfig.MAX_REQUESTS);
        require("iterations", iterations, 1, Integer.MAX_VALUE);
        int udpPort = peerUdpPort == null ? nic.udpPort() : peerUdpPort;
        require("peer UDP port", udpPort, 1, 65535);
        int pairs = queuePairs != null ? queuePairs : kind == PingPongKind.SRQ ? DEFAULT_SHARING_PAIRS : 1;
        require("queue pairs (-q), each of which needs one of the receives (-r),", pairs, 1,
            Math.min(kind.wireAddresses(), receiveDepth));
        return new PingPongPlan(kind, size, iterations, receiveDepth, pairs,
            OptionText.checked(spec.commandLine(), "", () -> PathMtu.ofBytes(mtuBytes)), udpPort, stallNs);
    }

    private void require(String name, int value, int least, int most) {
        OptionText.inRange(spec.commandLine(), name, value, least, most);
    }

    private int run(RxeNic opened, PingPongPlan plan) throws IOException {
        Device device = opened.device();
        checkSizes(device, plan);
        if (!nic.isCapturing()) {
            WarmUp.run(device, Operation.SEND, plan.sizeBytes(), kind == PingPongKind.UD ? device.portMtu() : plan.pathMtu());
        }
        Random random = nic.seed() == null ? new SecureRandom() : new Random(nic.seed());
        PrintWriter out = spec.commandLine().getOut();
        try (PingPongEndpoint endpoint = new PingPongEndpoint(device, plan, () -> random.nextInt() & Psn.MASK)) {
            if (host != null && isComparing()) {
                endpoint.buffer().markPages();
            }
            int posted = endpoint.postReceives(receiveDepth);
            endpoint.addresses().forEach(address -> out.println("  local address:  " + address));
            out.flush();
            try (SideLink link = host == null ? SideLink.accept(port) : SideLink.connect(host, port)) {
                PingPongExchange exchange = new PingPongExchange(link, kind);
                List<PingPongAddress> remotes = exchangeAddresses(exchange, endpoint, link);
                remotes.forEach(address -> out.println("  remote address: " + address));
                out.flush();
                nic.showProgress(opened, spec.commandLine().getErr());
                try {
                    out.print(plan.result(new PingPongRun(endpoint, exchange, plan, posted, peer(remotes)).run(host != null)));
                } finally {
                    exchange.sayBye();
                }
                out.flush();
                return finish(endpoint.buffer(), out);
            }
        }
    }

    private boolean isComparing() {
        return validate && kind != PingPongKind.SRQ;
    }

    private static String peer(List<PingPongAddress> remotes) {
        PingPongAddress first = remotes.get(0);
        return first.gid() + " (QPN 0x" + String.format("%06x", first.qpn())
            + (remotes.size() > 1 ? " and " + (remotes.size() - 1) + " more" : "") + ")";
    }

    private int finish(PingPongBuffer buffer, PrintWriter out) {
        int page = isComparing() ? buffer.invalidPage() : -1;
        if (page >= 0) {
            out.println("invalid data in page " + page);
        }
        WorkAlike.linger();
        return page < 0 ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private void checkSizes(Device device, PingPongPlan plan) {
        int portMtu = device.portMtu().bytes();
        if (kind == PingPongKind.UD && plan.sizeBytes() > portMtu) {
            throw new ToolFailure("message size " + plan.sizeBytes() + " > port MTU " + portMtu + " of " + device.gid()
                + ": a datagram is one packet; lower -s or raise the interface MTU");
        }
        if (kind != PingPongKind.UD && plan.pathMtu().bytes() > portMtu) {
            throw new ToolFailure("path MTU " + plan.pathMtu().bytes() + " > port MTU " + portMtu + " of " + device.gid()
                + ": lower -m or raise the interface MTU to " + (plan.pathMtu().bytes() + PathMtu.HEADROOM_BYTES));
        }
    }

    private static List<PingPongAddress> exchangeAddresses(PingPongExchange exchange, PingPongEndpoint endpoint, SideLink link) {
        Gid own = endpoint.addresses().get(0).gid();
        try {
            if (!link.isClient()) {
                return exchange.asServer(endpoint.addresses(), remotes -> connect(endpoint, remotes, own, link.peer()));
            }
            List<PingPongAddress> remotes = exchange.asClient(endpoint.addresses());
            connect(endpoint, remotes, own, link.peer());
            return remotes;
        } catch (EOFException e) {
            throw new ToolFailure("exchanging addresses with " + link.peer() + " over TCP: " + e.getMessage()
                + "; the peer may be another program, have a GID of another address family than our " + own
                + ", or use a larger -m than its interface supports", e);
        } catch (IOException e) {
            throw new ToolFailure("exchanging addresses with " + link.peer() + " over TCP: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure("connecting to " + link.peer() + ": " + e.getMessage(), e);
        }
    }

    private static void connect(PingPongEndpoint endpoint, List<PingPongAddress> remotes, Gid own, String peer) {
        for (int i = 0; i < remotes.size(); i++) {
            PingPongAddress remote = remotes.get(i);
            if (remote.qpn() == 0 && i > 0) {
                throw new ToolFailure(peer + " uses " + i + " queue pairs < " + remotes.size() + " here: use the same -q at both ends");
            }
            PeerLink.checkGid(remote.gid(), own, peer, "-g");
        }
        endpoint.connect(remotes);
    }
}
