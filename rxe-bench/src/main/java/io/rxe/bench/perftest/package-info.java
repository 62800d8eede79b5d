/**
 * The tests of perftest 4.5 ({@code ib_send_bw} and its seven sisters) with the same conversation on the control connection, the
 * same traffic and the same lines on standard output, so that either end may be the original.
 *
 * <p>{@link io.rxe.bench.perftest.PerftestRun} leads through a test: {@link io.rxe.bench.perftest.PerftestHandshake} speaks over a
 * {@link io.rxe.bench.perftest.ControlLink}, {@link io.rxe.bench.perftest.TestEndpoint} holds queue pairs and memory, a flow
 * ({@code BandwidthFlow}, {@code SendBandwidthFlow}, {@code LatencyFlow}, {@code SendLatencyFlow}) knows who says what when, and a loop
 * moves the messages. {@link io.rxe.bench.perftest.PerftestPrinter} has every format.
 *
 * <p>With {@link io.rxe.bench.perftest.ManagedConnections} the conversation goes over a queue pair that connection management made, and
 * if asked for it makes the queue pairs of the test too.
 *
 * <p>Uses {@link io.rxe.verbs}, {@link io.rxe.cm} and the side channel of {@code io.rxe.net.side}; must not reach below the verbs.
 * Everything here runs on the thread that called {@code PerftestRun}.
 */
package io.rxe.bench.perftest;
