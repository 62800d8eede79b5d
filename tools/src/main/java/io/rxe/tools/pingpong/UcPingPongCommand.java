package io.rxe.tools.pingpong;

import picocli.CommandLine.Command;

/**
 * {@code rxe uc_pingpong}: {@code ibv_uc_pingpong} on our NIC, as server or client; the peer may be the original program.
 */
@Command(name = "uc_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange messages with a peer over an unreliable connection, as ibv_uc_pingpong does.",
        "Without HOST this is the server and waits for one client."})
public final class UcPingPongCommand extends PingPongCommand {
    /** Called by picocli. */
    public UcPingPongCommand() {
        super(PingPongKind.UC);
    }
}
