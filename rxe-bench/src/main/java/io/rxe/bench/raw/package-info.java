/**
 * The limit in Java: two plain UDP sockets that do what every NIC in software must do (copy and CRC on both sides, a window,
 * GSO and GRO) and nothing else. A queue pair is measured against it, so that no C compiler is needed for a ratio.
 *
 * <p>Uses Netty's socket directly; knows no queue pairs, no NIC and no RoCE. {@link io.rxe.bench.raw.RawRun} is the entry, what
 * it returns prints itself. A frame goes from {@link io.rxe.bench.raw.RawFrame} through {@link io.rxe.bench.raw.RawSocket} to the
 * kernel and the same way back.
 */
package io.rxe.bench.raw;
