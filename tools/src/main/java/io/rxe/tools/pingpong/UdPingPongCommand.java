package io.rxe.tools.pingpong;

import picocli.CommandLine.Command;

/**
 * {@code rxe ud_pingpong}: {@code ibv_ud_pingpong} on our NIC, as server or client, with the original or ourselves at
 * the other end.
 */
@Command(name = "ud_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange datagrams with a peer, as ibv_ud_pingpong does.",
        "Without HOST this is the server and waits for one client."})
public final class UdPingPongCommand extends PingPongCommand {
    /** For the command line. */
    public UdPingPongCommand() {
        super(PingPongKind.UD);
    }
}
