/**
 * The loopback check and its measurements: two NICs in one process exchange every operation, compare every byte, and are then timed.
 *
 * <p>Works on {@link io.rxe.verbs.Device} only, so it runs on any two devices, including simulated ones. Must not use
 * picocli or print by itself: the command line ({@code io.rxe.tools}) opens the NICs, calls {@link
 * io.rxe.bench.LoopbackRun} and prints what it returns.
 *
 * <p><b>Order of work:</b> {@link io.rxe.bench.LoopbackPair} connects, {@link io.rxe.bench.VerifyPass} checks,
 * {@link io.rxe.bench.BandwidthMeasurement} and {@link io.rxe.bench.LatencyMeasurement} measure, {@link
 * io.rxe.bench.LoopbackReport} formats the result.
 *
 * <p>Next hop of a request posted here: {@link io.rxe.verbs.QueuePair}. Previous hop of a completion: {@link
 * io.rxe.verbs.CompletionQueue}.
 */
package io.rxe.bench;
