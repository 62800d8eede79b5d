package io.rxe.tools.perftest;

/** The six tests and their defaults. */
enum PerftestKind {
    SEND_BW("ib_send_bw", "Bandwidth of SEND", PerftestVerb.SEND, false, 65536, 1000),
    SEND_LAT("ib_send_lat", "Latency of SEND, half a round trip", PerftestVerb.SEND, true, 2, 1000),
    WRITE_BW("ib_write_bw", "Bandwidth of RDMA WRITE", PerftestVerb.WRITE, false, 65536, 5000),
    WRITE_LAT("ib_write_lat", "Latency of RDMA WRITE, half a round trip", PerftestVerb.WRITE, true, 2, 1000),
    READ_BW("ib_read_bw", "Bandwidth of RDMA READ", PerftestVerb.READ, false, 65536, 1000),
    READ_LAT("ib_read_lat", "Latency of RDMA READ, a whole round trip", PerftestVerb.READ, true, 2, 1000);

    private final String program;
    private final String measures;
    private final PerftestVerb verb;
    private final boolean latency;
    private final int defaultSizeBytes;
    private final int defaultIterations;

    PerftestKind(String program, String measures, PerftestVerb verb, boolean latency, int defaultSizeBytes, int defaultIterations) {
        this.program = program;
        this.measures = measures;
        this.verb = verb;
        this.latency = latency;
        this.defaultSizeBytes = defaultSizeBytes;
        this.defaultIterations = defaultIterations;
    }

    /** Name of the program. */
    String program() {
        return program;
    }

    /** What the program measures, in words. */
    String measures() {
        return measures;
    }

    PerftestVerb verb() {
        return verb;
    }

    /** Whether it measures latency instead of bandwidth. */
    boolean isLatency() {
        return latency;
    }

    /** Default message size, in bytes. */
    int defaultSizeBytes() {
        return defaultSizeBytes;
    }

    /** Default number of messages of each queue pair. */
    int defaultIterations() {
        return defaultIterations;
    }
}
