/**
 * {@code rxe dump --flow}: analyses each connection of a capture, as a diagram in text and a summary. Works on captures from any RoCEv2
 * source, taken anywhere on the path.
 *
 * <p>The capture is read twice. {@link io.rxe.tools.flow.ConnectionTracker} receives the packets, pairs the two streams of each
 * connection, and creates a {@link io.rxe.tools.flow.Connection}. The second time it hands each packet to its connection, where a
 * {@link io.rxe.tools.flow.RequestTrack} for each direction classifies it and {@link io.rxe.tools.flow.FlowPicture} draws it into a
 * {@link io.rxe.tools.flow.TextSpool}. No packet is kept. Uses {@code io.rxe.wire}, {@code io.rxe.capture} and the layouts in
 * {@code io.rxe.cm.mad} only, never the NIC that may have sent the packets: it must not trust what it checks.
 */
package io.rxe.tools.flow;
