/**
 * The commands of perftest: {@code ib_send_bw}, {@code ib_send_lat}, {@code ib_write_bw}, {@code ib_write_lat}, {@code ib_read_bw},
 * {@code ib_read_lat}, {@code ib_atomic_bw} and {@code ib_atomic_lat}.
 *
 * <p>Only options, messages and exit status are here; the tests are in {@code io.rxe.bench.perftest}. Must not reach below the verbs.
 */
package io.rxe.tools.perftest;
