/**
 * The messages two tests exchange beside the traffic. {@link io.rxe.tools.perftest.handshake.PerftestHandshake} knows their order and
 * formats; a {@link io.rxe.tools.perftest.handshake.ControlLink} carries them, over TCP ({@code SocketControlLink}) or over a queue pair
 * made by connection management ({@code ManagedLink} in {@code flow}).
 */
package io.rxe.tools.perftest.handshake;
