/**
 * {@code rxe dump}: shows the RoCEv2 packets of a capture file and checks each ICRC. Works on captures from any source.
 *
 * <p>{@link io.rxe.tools.dump.DumpCommand} reads records; {@link io.rxe.tools.dump.FrameWalker} finds the packets in each, cutting the
 * batches of GSO and GRO apart ({@link io.rxe.capture.BatchCutter}); a visitor prints them ({@link
 * io.rxe.tools.dump.FramePrinter}) or hands them to {@link io.rxe.tools.flow} ({@link io.rxe.tools.dump.FlowPass}, which reads the
 * capture twice). Uses {@code io.rxe.wire}, {@code io.rxe.capture} and the layouts in {@code io.rxe.cm.mad} only, never the NIC that may
 * have sent the packets: it must not trust what it checks.
 */
package io.rxe.tools.dump;
