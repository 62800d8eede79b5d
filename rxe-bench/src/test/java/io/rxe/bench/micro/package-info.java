/**
 * JMH micro-benchmarks: what one packet costs in each part of the core, without sockets. {@code tools/rxe-jmh} runs them.
 *
 * <p>They lie in the test tree, so that nothing that is shipped depends on JMH; {@link io.rxe.bench.micro.MicroBenchmarkTest} runs each
 * once, so that none decays. {@link io.rxe.bench.micro.JoinedNics} carries packets from one engine to the other.
 */
package io.rxe.bench.micro;
