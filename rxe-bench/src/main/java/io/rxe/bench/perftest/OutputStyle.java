package io.rxe.bench.perftest;

/** How results are printed. */
public enum OutputStyle {
    /** The whole block. */
    FULL,
    /** Only the average bandwidth, a number a line. */
    BANDWIDTH,
    /** Only the message rate. */
    MESSAGE_RATE,
    /** Only the average latency. */
    LATENCY
}
