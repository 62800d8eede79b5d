package io.rxe.tools.perftest;

import io.rxe.tools.perftest.plan.PerftestKind;
import picocli.CommandLine.Command;

/** The eight commands. */
public final class PerftestCommands {
    private static final String SERVER = "Without HOST this is the server and waits for one client.";

    private PerftestCommands() {
    }

    /** {@code rxe ib_send_bw}. */
    @Command(name = "ib_send_bw", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Bandwidth of SEND, as perftest's ib_send_bw.", SERVER},
        footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0, our address being 10.0.0.1:",
            "  here   rxe ib_send_bw -d 10.0.0.1", "  there  ib_send_bw -d rxe0 -x 1 10.0.0.1"})
    public static final class SendBandwidth extends PerftestCommand {
        SendBandwidth() {
            super(PerftestKind.SEND_BW);
        }
    }

    /** {@code rxe ib_send_lat}. */
    @Command(name = "ib_send_lat", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Latency of SEND, as perftest's ib_send_lat: half a round trip.", SERVER})
    public static final class SendLatency extends PerftestCommand {
        SendLatency() {
            super(PerftestKind.SEND_LAT);
        }
    }

    /** {@code rxe ib_write_bw}. */
    @Command(name = "ib_write_bw", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Bandwidth of RDMA WRITE, as perftest's ib_write_bw.", SERVER})
    public static final class WriteBandwidth extends PerftestCommand {
        WriteBandwidth() {
            super(PerftestKind.WRITE_BW);
        }
    }

    /** {@code rxe ib_write_lat}. */
    @Command(name = "ib_write_lat", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Latency of RDMA WRITE, as perftest's ib_write_lat: half a round trip.", SERVER})
    public static final class WriteLatency extends PerftestCommand {
        WriteLatency() {
            super(PerftestKind.WRITE_LAT);
        }
    }

    /** {@code rxe ib_read_bw}. */
    @Command(name = "ib_read_bw", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Bandwidth of RDMA READ, as perftest's ib_read_bw.", SERVER})
    public static final class ReadBandwidth extends PerftestCommand {
        ReadBandwidth() {
            super(PerftestKind.READ_BW);
        }
    }

    /** {@code rxe ib_read_lat}. */
    @Command(name = "ib_read_lat", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Latency of RDMA READ, as perftest's ib_read_lat: a whole round trip.", SERVER})
    public static final class ReadLatency extends PerftestCommand {
        ReadLatency() {
            super(PerftestKind.READ_LAT);
        }
    }

    /** {@code rxe ib_atomic_bw}. */
    @Command(name = "ib_atomic_bw", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Rate of atomics, as perftest's ib_atomic_bw.", SERVER})
    public static final class AtomicBandwidth extends PerftestCommand {
        AtomicBandwidth() {
            super(PerftestKind.ATOMIC_BW);
        }
    }

    /** {@code rxe ib_atomic_lat}. */
    @Command(name = "ib_atomic_lat", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Latency of atomics, as perftest's ib_atomic_lat: a whole round trip.", SERVER})
    public static final class AtomicLatency extends PerftestCommand {
        AtomicLatency() {
            super(PerftestKind.ATOMIC_LAT);
        }
    }
}
