/**
 * Six commands of perftest: {@code ib_send_bw}, {@code ib_send_lat}, {@code ib_write_bw}, {@code ib_write_lat}, {@code ib_read_bw} and
 * {@code ib_read_lat}. They exchange the same messages on the control connection as perftest 4.5, send the same traffic and print the same
 * lines, so that either end may be the original.
 *
 * <pre>
 *   PerftestCommand  options, plan            PerftestRun        the order of handshake, measurement and output
 *   PerftestPlan     what to measure          PerftestHandshake  the messages beside the traffic
 *   PerftestKind, PerftestVerb  the tests     PerftestEndpoint   queue pairs and memory
 *   PerftestPrinter  every line of output     BandwidthLoop, LatencyLoop   move the messages of one size
 * </pre>
 *
 * <p>A test runs on the thread that called its command; the loops allocate nothing for a message. Nothing here reaches below {@code
 * io.rxe.verbs}, except that the command opens the NIC.
 */
package io.rxe.tools.perftest;
