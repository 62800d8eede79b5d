/**
 * {@code rxe dump --flow}: what a capture tells of each connection, as a picture in text and a summary. Works on captures from any RoCEv2
 * source, taken anywhere on the way.
 *
 * <p>{@link io.rxe.tools.flow.FlowBook} takes the packets, finds out which two streams are one connection, and hands each
 * {@link io.rxe.tools.flow.Connection} to a {@link io.rxe.tools.flow.FlowPicture}; a {@link io.rxe.tools.flow.RequestTrack} for each
 * direction judges every packet. Uses {@code io.rxe.wire} only; nothing of the NIC, which might share a mistake with what it sent.
 */
package io.rxe.tools.flow;
