package io.rxe.bench.perftest;

import io.rxe.verbs.QueuePairType;

/** The eight tests and what they do unless told otherwise. */
public enum PerftestKind {
    SEND_BW("ib_send_bw", TestVerb.SEND, false, 65536, 1000),
    SEND_LAT("ib_send_lat", TestVerb.SEND, true, 2, 1000),
    WRITE_BW("ib_write_bw", TestVerb.WRITE, false, 65536, 5000),
    WRITE_LAT("ib_write_lat", TestVerb.WRITE, true, 2, 1000),
    READ_BW("ib_read_bw", TestVerb.READ, false, 65536, 1000),
    READ_LAT("ib_read_lat", TestVerb.READ, true, 2, 1000),
    ATOMIC_BW("ib_atomic_bw", TestVerb.ATOMIC, false, 8, 1000),
    ATOMIC_LAT("ib_atomic_lat", TestVerb.ATOMIC, true, 8, 1000);

    private final String command;
    private final TestVerb verb;
    private final boolean latency;
    private final int defaultSizeBytes;
    private final int defaultIterations;

    PerftestKind(String command, TestVerb verb, boolean latency, int defaultSizeBytes, int defaultIterations) {
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

    /** What its requests do. */
    public TestVerb verb() {
        return verb;
    }

    /** Measures the time of one message instead of the number of bytes. */
    public boolean isLatency() {
        return latency;
    }

    /** Size of a message, in bytes. */
    public int defaultSizeBytes() {
        return defaultSizeBytes;
    }

    /** Messages of each queue pair. */
    public int defaultIterations() {
        return defaultIterations;
    }

    /** Whether the verb exists on a transport. */
    public boolean runsOn(QueuePairType transport) {
        return switch (transport) {
            case RC -> true;
            case UC -> !verb.isReadOrAtomic();
            case UD -> verb == TestVerb.SEND;
        };
    }
}
