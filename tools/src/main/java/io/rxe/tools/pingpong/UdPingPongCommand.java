package io.rxe.tools.pingpong;

import picocli.CommandLine.Command;

/**
 * {@code rxe ud_pingpong}: {@code ibv_ud_pingpong} on our NIC, as server or client; the peer may be the original program.
 */
@Command(name = "ud_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange datagrams with a peer, as ibv_ud_pingpong does.",
        "Without HOST this is the server and waits for one client."})
public final class UdPingPongCommand extends PingPongCommand {
    /** Called by picocli. */
    public UdPingPongCommand() {
        super(PingPongKind.UD);
    }
}
