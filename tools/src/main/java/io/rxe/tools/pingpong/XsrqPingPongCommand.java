package io.rxe.tools.pingpong;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WarmUp;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rxe xsrq_pingpong}: {@code ibv_xsrq_pingpong} on our NIC, as server or client; the peer may be the original program. */
@Command(name = "xsrq_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange messages with several clients over XRC, as ibv_xsrq_pingpong does.",
        "Without HOST this is the server and waits for its clients."},
    footer = {"", "For example with the original, on our NIC too, as server:",
        "  tools/rxe run --dev 127.0.0.1 ibv_xsrq_pingpong -g 1", "  tools/rxe xsrq_pingpong -d 127.0.0.2 127.0.0.1",
        "rdma_rxe of Linux has no XRC."})
public final class XsrqPingPongCommand implements Callable<Integer> {
    private static final int PSN_MASK = 0xFFFFFF;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Mixin
    private XsrqOptions options;

    @Override
    public Integer call() {
        options.checkCommon(nic);
        try (RxeNic opened = nic.open(spec.commandLine().getErr())) {
            run(opened);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("success");
        out.flush();
        return ExitStatus.OK;
    }

    private void run(RxeNic opened) {
        Device device = opened.device();
        if (options.pathMtu().bytes() > device.portMtu().bytes()) {
            throw new ToolFailure("path MTU " + options.pathMtu().bytes() + " > port MTU " + device.portMtu().bytes() + " of "
                + device.gid() + ": lower -m or raise the interface MTU to " + (options.pathMtu().bytes() + PathMtu.HEADROOM_BYTES));
        }
        if (!nic.isCapturing()) {
            WarmUp.run(device, Operation.SEND, options.sizeBytes(), options.pathMtu());
        }
        Random random = nic.seed() == null ? new SecureRandom() : new Random(nic.seed());
        int queues = options.host() == null ? 1 : options.clients();
        try (XsrqEndpoint endpoint = new XsrqEndpoint(device, options.sizeBytes(), options.clients(), queues,
            () -> random.nextInt() & PSN_MASK, options.isEvents())) {
            for (int i = 0; i < options.clients(); i++) {
                endpoint.postReceive(i % queues);
            }
            try (XsrqLinks links = link(endpoint)) {
                nic.showProgress(opened, spec.commandLine().getErr());
                new XsrqRun(endpoint, links, options).run();
                links.end(Duration.ofNanos(options.stallNs()));
            } catch (IOException e) {
                throw new ToolFailure("the TCP connection of xsrq_pingpong: " + e.getMessage(), e);
            }
        }
    }

    private XsrqLinks link(XsrqEndpoint endpoint) throws IOException {
        return options.host() == null ? XsrqLinks.accept(options.port(), endpoint, connector(endpoint))
            : XsrqLinks.connect(options.host(), options.port(), endpoint, connector(endpoint));
    }

    private XsrqLinks.Connector connector(XsrqEndpoint endpoint) {
        return (client, remote, peer) -> {
            PrintWriter out = spec.commandLine().getOut();
            out.println("   local: " + endpoint.address(client));
            out.println("  remote: " + remote);
            out.flush();
            if (remote.gid() == null || remote.gid().isIpv4() != endpoint.address(client).gid().isIpv4()) {
                throw new ToolFailure(peer + " sent " + (remote.gid() == null ? "no GID" : "the GID " + remote.gid()
                    + ", of another address family than our " + endpoint.address(client).gid()) + ": start it with -g INDEX of "
                    + (endpoint.address(client).gid().isIpv4() ? "an IPv4" : "an IPv6") + " RoCE v2 GID (see ibv_devinfo -v)");
            }
            endpoint.connect(client, remote, options.pathMtu(), options.peerUdpPort(nic.udpPort()));
        };
    }
}
