package io.rxe.tools.pingpong;

import picocli.CommandLine.Command;

/**
 * {@code rxe rc_pingpong}: {@code ibv_rc_pingpong} on our NIC, as server or client; the peer may be the original program.
 */
@Command(name = "rc_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange messages with a peer over a reliable connection, as ibv_rc_pingpong does.",
        "Without HOST this is the server and waits for one client."},
    footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0, our address being 10.0.0.1:",
        "  here   rxe rc_pingpong -d 10.0.0.1 -c", "  there  ibv_rc_pingpong -d rxe0 -g 1 -c 10.0.0.1", "or the other way round:",
        "  there  ibv_rc_pingpong -d rxe0 -g 1 -c", "  here   rxe rc_pingpong -d 10.0.0.1 -c 10.0.0.2"})
public final class RcPingPongCommand extends PingPongCommand {
    /** Called by picocli. */
    public RcPingPongCommand() {
        super(PingPongKind.RC);
    }
}
