package io.rxe.tools.perftest;


/** The six tests, with the names and defaults of the original. */
enum PerftestKind {
    SEND_BW(PerftestVerb.SEND, false),
    SEND_LAT(PerftestVerb.SEND, true),
    WRITE_BW(PerftestVerb.WRITE, false),
    WRITE_LAT(PerftestVerb.WRITE, true),
    READ_BW(PerftestVerb.READ, false),
    READ_LAT(PerftestVerb.READ, true);

    private final PerftestVerb verb;
    private final boolean latency;

    PerftestKind(PerftestVerb verb, boolean latency) {
        this.verb = verb;
        this.latency = latency;
    }

    /** Name of the program: {@code ib_send_bw}. */
    String program() {
        return "ib_" + name().toLowerCase();
    }

    /** What the program measures, in words. */
    String measures() {
        return latency ? "Latency of " + verb + (verb == PerftestVerb.READ ? ", a whole round trip" : ", half a round trip")
            : "Bandwidth of " + verb;
    }

    PerftestVerb verb() {
        return verb;
    }

    /** Whether it measures latency instead of bandwidth. */
    boolean isLatency() {
        return latency;
    }

    int defaultSizeBytes() {
        return latency ? 2 : 65536;
    }

    /** Default number of messages of each queue pair. */
    int defaultIterations() {
        return this == WRITE_BW ? 5000 : 1000;
    }
}
