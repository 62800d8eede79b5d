/**
 * An extension of JUnit for tests of programs that use RDMA. {@link io.rxe.junit.RxeNics} opens NICs on loopback addresses before each test
 * and closes them after it; parameters receive them. A test that fails leaves captures and counters in {@code target/rxe-junit}.
 *
 * <p>Uses {@code io.rxe.net} and the API of JUnit, and nothing else of ours.
 */
package io.rxe.junit;
