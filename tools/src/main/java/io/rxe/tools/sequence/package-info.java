/**
 * {@code rxe dump --time-sequence}: the picture of PSN over time of each connection of a capture, as SVG or HTML, and what it shows as
 * text: losses, the cause of each retransmission, repairs, and what delayed the slowest messages.
 *
 * <p>{@link io.rxe.tools.flow} classifies the packets and hands each to the {@link io.rxe.tools.sequence.ConnectionSequence} of its
 * connection. A {@link io.rxe.tools.sequence.DirectionSequence} for each requester keeps a bounded number of marks ({@link
 * io.rxe.tools.sequence.MarkSeries}), repairs and messages. {@link io.rxe.tools.sequence.SvgPicture} draws them, {@link
 * io.rxe.tools.sequence.HtmlPage} adds what zooms and filters, {@link io.rxe.tools.sequence.SequenceText} prints. Uses
 * {@code io.rxe.tools.flow} and {@code io.rxe.wire} only.
 */
package io.rxe.tools.sequence;
