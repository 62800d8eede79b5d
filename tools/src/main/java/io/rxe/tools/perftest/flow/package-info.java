/**
 * The order of a test. {@link io.rxe.tools.perftest.flow.PerftestRun} runs one side: the preface of the handshake, the endpoint, then a
 * flow ({@code BandwidthFlow}, {@code SendBandwidthFlow}, {@code LatencyFlow}, {@code SendLatencyFlow}), which interleaves handshake,
 * measurement and output as the original does.
 *
 * <p>With {@link io.rxe.tools.perftest.flow.ManagedConnections} ({@code -z}) the handshake travels over a queue pair that connection
 * management made; with {@code -R} connection management connects the queue pairs of the test too.
 */
package io.rxe.tools.perftest.flow;
