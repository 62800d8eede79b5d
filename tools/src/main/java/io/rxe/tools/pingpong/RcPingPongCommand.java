package io.rxe.tools.pingpong;

import io.rxe.net.RxeNic;
import io.rxe.tools.ExitStatus;
import io.rxe.tools.NicOptions;
import io.rxe.tools.ToolFailure;
import io.rxe.tools.WarmUp;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code rxe rc_pingpong}: {@code ibv_rc_pingpong} on our NIC, as server or client, with the original or ourselves at
 * the other end.
 */
@Command(name = "rc_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange messages with a peer over a reliable connection, as ibv_rc_pingpong does.",
        "Without HOST this is the server and waits for one client."},
    footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0, our address being 10.0.0.1:",
        "  here   rxe rc_pingpong -d 10.0.0.1 -c", "  there  ibv_rc_pingpong -d rxe0 -g 1 -c 10.0.0.1", "or the other way round:",
        "  there  ibv_rc_pingpong -d rxe0 -g 1 -c", "  here   rxe rc_pingpong -d 10.0.0.1 -c 10.0.0.2"})
public final class RcPingPongCommand implements Callable<Integer> {
    private static final int PSN_MASK = 0xFFFFFF;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Mixin
    private PingPongOptions options;

    @Override
    public Integer call() {
        options.check(nic);
        final PrintWriter out = spec.commandLine().getOut();
        try (RxeNic opened = nic.open(spec.commandLine().getErr())) {
            return run(opened.device(), out);
        }
    }

    /** Plays on a device that is open. */
    Integer run(final Device device, final PrintWriter out) {
        if (options.pathMtu().bytes() > device.portMtu().bytes()) {
            throw new ToolFailure("path MTU " + options.pathMtu().bytes() + " > port MTU " + device.portMtu().bytes() + " of "
                + device.gid() + ": lower -m or raise the interface MTU to "
                + (options.pathMtu().bytes() + PathMtu.HEADROOM_BYTES));
        }
        final boolean isClient = options.host() != null;
        if (!nic.isCapturing()) {
            WarmUp.run(device, Operation.SEND, options.sizeBytes(), options.pathMtu());
        }
        try (PingPongEndpoint endpoint =
            new PingPongEndpoint(device, options.sizeBytes(), options.receiveDepth(), startPsn(), options.isEvents())) {
            if (isClient && options.isValidate()) {
                endpoint.buffer().markPages();
            }
            final int posted = endpoint.postReceives(options.receiveDepth());
            out.println("  local address:  " + endpoint.address());
            out.flush();
            final PingPongAddress remote = trade(endpoint, isClient);
            out.println("  remote address: " + remote);
            out.flush();
            final String peer = remote.gid() + " (QPN 0x" + String.format("%06x", remote.qpn()) + ")";
            out.print(new PingPongRun(endpoint, options, posted, peer).play(isClient).toText());
            out.flush();
            final int status = validate(endpoint.buffer(), out);
            linger();
            return status;
        }
    }

    private PingPongAddress trade(final PingPongEndpoint endpoint, final boolean isClient) {
        try (PeerLink link = isClient ? SideLink.connect(options.host(), options.port()) : SideLink.accept(options.port())) {
            try {
                if (isClient) {
                    final PingPongAddress remote = PingPongExchange.asClient(link, endpoint.address());
                    connect(endpoint, remote, link.peer());
                    return remote;
                }
                return PingPongExchange.asServer(link, endpoint.address(), remote -> connect(endpoint, remote, link.peer()));
            } catch (final IOException e) {
                throw new ToolFailure("trading addresses with " + link.peer() + " over TCP: " + e.getMessage(), e);
            } catch (final IllegalArgumentException e) {
                throw new ToolFailure("connecting to " + link.peer() + ": " + e.getMessage(), e);
            }
        } catch (final IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private void connect(final PingPongEndpoint endpoint, final PingPongAddress remote, final String peer) {
        final PingPongAddress own = endpoint.address();
        if (remote.gid() == null) {
            throw new ToolFailure(peer + " sent no GID: start it with -g INDEX of " + (own.gid().isIpv4() ? "an IPv4" : "an IPv6")
                + " RoCE v2 GID (see ibv_devinfo -v)");
        }
        if (remote.gid().isIpv4() != own.gid().isIpv4()) {
            throw new ToolFailure("the GID " + remote.gid() + " of " + peer + " and ours " + own.gid()
                + " are of different address families: choose another -g there, or another -d here");
        }
        endpoint.connect(remote, options.pathMtu(), options.peerUdpPort(nic.udpPort()));
    }

    private int startPsn() {
        final int random = nic.seed() == null ? new SecureRandom().nextInt() : new Random(nic.seed()).nextInt();
        return random & PSN_MASK;
    }

    private int validate(final PingPongBuffer buffer, final PrintWriter out) {
        if (!options.isValidate()) {
            return ExitStatus.OK;
        }
        final int page = buffer.invalidPage();
        if (page < 0) {
            return ExitStatus.OK;
        }
        out.println("invalid data in page " + page);
        return ExitStatus.FAILED;
    }

    // The peer may not have got our last acknowledgement; it asks again after 67 ms, and the NIC must still be there
    // to answer.
    private void linger() {
        try {
            TimeUnit.NANOSECONDS.sleep(options.lingerNs());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
