/**
 * JMH micro-benchmarks: what one packet costs in each part of the core, without sockets. {@code tools/dev/test-main} runs them.
 *
 * <p>They are in the test tree, so that no shipped code depends on JMH; {@link io.rxe.bench.micro.MicroBenchmarkTest} runs each, so that
 * they keep working. {@link io.rxe.bench.micro.JoinedNics} delivers packets from one engine to the other.
 */
package io.rxe.bench.micro;
