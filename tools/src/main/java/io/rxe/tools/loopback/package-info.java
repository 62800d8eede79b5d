/**
 * {@code rxe loopback}: two NICs in one process, verified and measured. {@link io.rxe.tools.loopback.LoopbackCommand} parses options
 * and prints; the measurements are in {@code io.rxe.bench}.
 *
 * <p>Must not reach below the verbs. Packets travel between the two NICs over real UDP sockets, not through this package.
 */
package io.rxe.tools.loopback;
