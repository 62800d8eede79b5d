package io.rxe.tools.perftest.output;

/** How to print results. */
public enum OutputStyle {
    /** Heading, addresses and columns. */
    FULL,
    /** Only the average bandwidth, one number a line. */
    BANDWIDTH,
    /** Only the message rate. */
    MESSAGE_RATE,
    /** Only the average latency. */
    LATENCY
}
