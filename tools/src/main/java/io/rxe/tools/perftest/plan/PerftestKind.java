package io.rxe.tools.perftest.plan;

import io.rxe.verbs.QueuePairType;

/** The eight tests and their defaults. */
public enum PerftestKind {
    SEND_BW("ib_send_bw", PerftestVerb.SEND, false, 65536, 1000),
    SEND_LAT("ib_send_lat", PerftestVerb.SEND, true, 2, 1000),
    WRITE_BW("ib_write_bw", PerftestVerb.WRITE, false, 65536, 5000),
    WRITE_LAT("ib_write_lat", PerftestVerb.WRITE, true, 2, 1000),
    READ_BW("ib_read_bw", PerftestVerb.READ, false, 65536, 1000),
    READ_LAT("ib_read_lat", PerftestVerb.READ, true, 2, 1000),
    ATOMIC_BW("ib_atomic_bw", PerftestVerb.ATOMIC, false, 8, 1000),
    ATOMIC_LAT("ib_atomic_lat", PerftestVerb.ATOMIC, true, 8, 1000);

    private final String command;
    private final PerftestVerb verb;
    private final boolean latency;
    private final int defaultSizeBytes;
    private final int defaultIterations;

    PerftestKind(String command, PerftestVerb verb, boolean latency, int defaultSizeBytes, int defaultIterations) {
        this.command = command;
        this.verb = verb;
        this.latency = latency;
        this.defaultSizeBytes = defaultSizeBytes;
        this.defaultIterations = defaultIterations;
    }

    /** Name of the program. */
    public String command() {
        return command;
    }

    /** The verb of its requests. */
    public PerftestVerb verb() {
        return verb;
    }

    /** Whether it measures latency instead of bandwidth. */
    public boolean isLatency() {
        return latency;
    }

    /** Default message size, in bytes. */
    public int defaultSizeBytes() {
        return defaultSizeBytes;
    }

    /** Default number of messages of each queue pair. */
    public int defaultIterations() {
        return defaultIterations;
    }

    /** Whether a transport supports the verb. */
    public boolean runsOn(QueuePairType transport) {
        return switch (transport) {
            case RC -> true;
            case UC -> !verb.isReadOrAtomic();
            case UD -> verb == PerftestVerb.SEND;
            // perftest has it as -c XRC; not here.
            case XRC_SEND, XRC_RECV -> false;
        };
    }
}
