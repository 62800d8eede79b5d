package io.rxe.tools.pingpong;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code rxe srq_pingpong}: {@code ibv_srq_pingpong} on our NIC, as server or client; the peer may be the original program.
 */
@Command(name = "srq_pingpong", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Exchange messages over several connections that share a receive queue, as ibv_srq_pingpong does.",
        "Without HOST this is the server and waits for one client."})
public final class SrqPingPongCommand extends PingPongCommand {
    @Option(names = {"-q", "--num-qp"}, paramLabel = "N", defaultValue = "16", order = 6,
        description = "Queue pairs, up to 256; the same at both ends (default: ${DEFAULT-VALUE}).")
    private int queuePairs;

    /** Called by picocli. */
    public SrqPingPongCommand() {
        super(PingPongKind.SRQ);
    }

    @Override
    int queuePairs() {
        return queuePairs;
    }
}
