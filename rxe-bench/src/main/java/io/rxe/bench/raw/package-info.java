/**
 * The limit in Java: two plain UDP sockets that do only what every software NIC must do (copy and CRC on both sides, a window, GSO and
 * GRO). Queue pairs are compared with it, so that the ratio needs no C compiler.
 *
 * <p>Uses Netty's socket directly; has no queue pairs, no NIC and no RoCE. {@link io.rxe.bench.raw.RawRun} is the entry and returns a
 * report. A frame goes from {@link io.rxe.bench.raw.RawFrame} through
 * {@link io.rxe.bench.raw.RawSocket} to the kernel, and the same way back.
 */
package io.rxe.bench.raw;
