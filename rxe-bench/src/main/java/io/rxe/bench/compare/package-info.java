/**
 * Compares the NIC with its limits and its alternatives: raw UDP in C and in Java, Aeron, UCX, libfabric, iperf3. Every measurement is a
 * process of its own; rounds interleave them, because a machine's speed drifts, and medians of the rounds make the ratios.
 *
 * <p>{@link io.rxe.bench.compare.Comparison} runs {@link io.rxe.bench.compare.Job}s, which {@link io.rxe.bench.compare.OwnJobs} and
 * {@link io.rxe.bench.compare.PeerJobs} make, or {@link io.rxe.bench.compare.VethJobs} between two network namespaces; {@link
 * io.rxe.bench.compare.Works} says which ratios matter, {@link io.rxe.bench.compare.ComparisonReport} prints them, one row for each
 * work. Fetching the other programs and making the namespaces is the work of {@code tools/compare}. Must not install anything, and
 * knows no sockets and no queue pairs. No packet comes through here.
 */
package io.rxe.bench.compare;
