package io.rxe.tools.pingpong;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WarmUp;
import io.rxe.tools.side.SideLink;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Base of the pingpong commands. */
abstract class PingPongCommand implements Callable<Integer> {
    private static final int PSN_MASK = 0xFFFFFF;

    private final PingPongKind kind;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Mixin
    private PingPongOptions options;

    PingPongCommand(PingPongKind kind) {
        this.kind = kind;
    }

    /** Number of queue pairs. */
    int queuePairs() {
        return 1;
    }

    @Override
    public final Integer call() {
        options.check(nic, kind);
        if (queuePairs() < 1 || queuePairs() > Math.min(kind.wireAddresses(), options.receiveDepth())) {
            throw new ParameterException(spec.commandLine(), "queue pairs (-q) " + queuePairs() + " is not in 1.."
                + Math.min(kind.wireAddresses(), options.receiveDepth()) + (options.receiveDepth() < kind.wireAddresses()
                ? ": raise -r, each queue pair needs a receive" : ""));
        }
        PrintWriter out = spec.commandLine().getOut();
        try (RxeNic opened = nic.open(spec.commandLine().getErr())) {
            return run(opened, out);
        }
    }

    private int run(RxeNic opened, PrintWriter out) {
        Device device = opened.device();
        checkSizes(device);
        boolean isClient = options.host() != null;
        if (!nic.isCapturing()) {
            WarmUp.run(device, Operation.SEND, options.sizeBytes(), kind == PingPongKind.UD ? device.portMtu() : options.pathMtu());
        }
        Random random = nic.seed() == null ? new SecureRandom() : new Random(nic.seed());
        try (PingPongEndpoint endpoint = new PingPongEndpoint(device, kind, options.sizeBytes(), options.receiveDepth(), queuePairs(),
            () -> random.nextInt() & PSN_MASK, options.isEvents())) {
            if (isClient && options.isValidate() && kind.hasValidation()) {
                endpoint.buffer().markPages();
            }
            int posted = endpoint.postReceives(options.receiveDepth());
            endpoint.addresses().forEach(address -> out.println("  local address:  " + address));
            out.flush();
            try (SideLink link = isClient ? SideLink.connect(options.host(), options.port()) : SideLink.accept(options.port())) {
                return exchangeMessages(opened, endpoint, link, posted, out);
            } catch (IOException e) {
                throw new ToolFailure(e.getMessage(), e);
            }
        }
    }

    private int exchangeMessages(RxeNic opened, PingPongEndpoint endpoint, SideLink link, int posted, PrintWriter out) {
        List<PingPongAddress> remotes = exchangeAddresses(opened.device(), endpoint, link);
        remotes.forEach(address -> out.println("  remote address: " + address));
        out.flush();
        nic.showProgress(opened, spec.commandLine().getErr());
        PingPongAddress remote = remotes.get(0);
        String peer = remote.gid() + " (QPN 0x" + String.format("%06x", remote.qpn())
            + (remotes.size() > 1 ? " and " + (remotes.size() - 1) + " more" : "") + ")";
        PingPongFarewell farewell = new PingPongFarewell(link);
        try {
            out.print(new PingPongRun(endpoint, kind, options, posted, peer, options.peerUdpPort(nic.udpPort()), farewell)
                .run(link.isClient()).toText());
        } finally {
            farewell.say();
        }
        out.flush();
        int status = validate(endpoint.buffer(), out);
        linger();
        return status;
    }

    private void checkSizes(Device device) {
        if (kind == PingPongKind.UD) {
            if (options.sizeBytes() > device.portMtu().bytes()) {
                throw new ToolFailure("message size " + options.sizeBytes() + " > port MTU " + device.portMtu().bytes() + " of "
                    + device.gid() + ": a datagram is one packet; lower -s or raise the interface MTU");
            }
        } else if (options.pathMtu().bytes() > device.portMtu().bytes()) {
            throw new ToolFailure("path MTU " + options.pathMtu().bytes() + " > port MTU " + device.portMtu().bytes() + " of "
                + device.gid() + ": lower -m or raise the interface MTU to "
                + (options.pathMtu().bytes() + PathMtu.HEADROOM_BYTES));
        }
    }

    private List<PingPongAddress> exchangeAddresses(Device device, PingPongEndpoint endpoint, SideLink link) {
        PingPongExchange exchange = new PingPongExchange(link, kind);
        try {
            if (link.isClient()) {
                List<PingPongAddress> remotes = exchange.asClient(endpoint.addresses());
                connect(endpoint, remotes, link.peer());
                return remotes;
            }
            return exchange.asServer(endpoint.addresses(), remotes -> connect(endpoint, remotes, link.peer()));
        } catch (EOFException e) {
            throw new ToolFailure("exchanging addresses with " + link.peer() + " over TCP: " + e.getMessage()
                + "; the peer may be another program, have a GID of another address family than our " + device.gid()
                + ", or use a larger -m than its interface supports", e);
        } catch (IOException e) {
            throw new ToolFailure("exchanging addresses with " + link.peer() + " over TCP: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure("connecting to " + link.peer() + ": " + e.getMessage(), e);
        }
    }

    private void connect(PingPongEndpoint endpoint, List<PingPongAddress> remotes, String peer) {
        PingPongAddress own = endpoint.addresses().get(0);
        for (int i = 0; i < remotes.size(); i++) {
            PingPongAddress remote = remotes.get(i);
            if (remote.qpn() == 0 && i > 0) {
                throw new ToolFailure(peer + " uses " + i + " queue pairs < " + remotes.size() + " here: use the same -q at both ends");
            }
            if (remote.gid() == null) {
                throw new ToolFailure(peer + " sent no GID: start it with -g INDEX of " + (own.gid().isIpv4() ? "an IPv4" : "an IPv6")
                    + " RoCE v2 GID (see ibv_devinfo -v)");
            }
            if (remote.gid().isIpv4() != own.gid().isIpv4()) {
                throw new ToolFailure("the GID " + remote.gid() + " of " + peer + " and ours " + own.gid()
                    + " are of different address families: choose another -g there, or another -d here");
            }
        }
        endpoint.connect(remotes, options.pathMtu(), options.peerUdpPort(nic.udpPort()));
    }

    private int validate(PingPongBuffer buffer, PrintWriter out) {
        if (!options.isValidate() || !kind.hasValidation()) {
            return ExitStatus.OK;
        }
        int page = buffer.invalidPage();
        if (page < 0) {
            return ExitStatus.OK;
        }
        out.println("invalid data in page " + page);
        return ExitStatus.FAILED;
    }

    // Our last acknowledgement may have been lost. The peer then retransmits after 67 ms, and the NIC must still be open to
    // acknowledge again.
    private void linger() {
        try {
            TimeUnit.NANOSECONDS.sleep(options.lingerNs());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
