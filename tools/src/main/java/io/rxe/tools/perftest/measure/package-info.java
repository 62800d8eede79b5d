/**
 * Moves the messages of one size and takes their times. {@link io.rxe.tools.perftest.measure.PerftestEndpoint} holds queue pairs and
 * memory; {@code SendingSide} and {@code ReceivingSide} post and count; {@code BandwidthLoop} and the three {@code LatencyLoop}s call
 * them until the count or the duration is reached.
 *
 * <p>The loops poll on the calling thread and allocate nothing for a message. Uses the verbs only.
 */
package io.rxe.tools.perftest.measure;
