/**
 * The commands of perftest: {@code ib_send_bw}, {@code ib_send_lat}, {@code ib_write_bw}, {@code ib_write_lat}, {@code ib_read_bw},
 * {@code ib_read_lat}, {@code ib_atomic_bw} and {@code ib_atomic_lat}. They exchange the same messages on the control connection as
 * perftest 4.5, send the same traffic and print the same lines, so that either end may be the original.
 *
 * <p>This package holds options, exit status and {@code note:} lines. Below it, each using only those further left:
 *
 * <pre>
 *   plan, handshake  &lt;-  measure  &lt;-  output  &lt;-  flow  &lt;-  the commands
 * </pre>
 *
 * <p>Nothing here reaches below {@code io.rxe.verbs} and {@code io.rxe.cm}, except that the commands open the NIC. A test runs on the
 * thread that called its command.
 */
package io.rxe.tools.perftest;
