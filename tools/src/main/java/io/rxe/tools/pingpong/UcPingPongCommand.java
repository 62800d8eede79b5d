package io.rxe.tools.pingpong;

import picocli.CommandLine.Command;

/**
 * {@code rxe uc_pingpong}: {@code ibv_uc_pingpong} on our NIC, as server or client, with the original or ourselves at
 * the other end.
 */
@Command(name = "uc_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange messages with a peer over an unreliable connection, as ibv_uc_pingpong does.",
        "Without HOST this is the server and waits for one client."})
public final class UcPingPongCommand extends PingPongCommand {
    /** For the command line. */
    public UcPingPongCommand() {
        super(PingPongKind.UC);
    }
}
