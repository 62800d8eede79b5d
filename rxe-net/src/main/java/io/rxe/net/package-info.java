/**
 * Everything between the core and the kernel's sockets: UDP ports, batches, the loop that drives an engine, the clock.
 *
 * <p>A received packet: kernel, {@link io.rxe.net.UdpPort} (one datagram, or a GRO batch that {@link io.rxe.net.GroSplitter}
 * cuts in place), {@link io.rxe.net.NicLoop}, then {@code io.rxe.device.Engine.onPacket}. A sent one: {@code Engine.poll},
 * {@link io.rxe.net.EpollPacketSink} (batch and ICRC), {@link io.rxe.net.UdpPort}, kernel. What sits between socket and codec
 * for a purpose of its own (capture, faults) is a {@link io.rxe.net.UdpPort} around another one.
 * Faults are made in {@code io.rxe.net.fault}. A multicast group has a socket of its own for each engine
 * ({@link io.rxe.net.MulticastGroups}), which only receives: what comes out of it was sent to the group.
 *
 * <p>The IPv4 identification is part of the ICRC and a UDP socket never shows it. Two habits of the kernel make it known to a
 * sender: an unconnected socket that forbids fragmentation sends identification 0, and a UDP_SEGMENT send numbers its
 * segments 0, 1, 2 and so on. So a transmit socket here is never connected.
 *
 * <p>Nothing here knows queue pairs or completions; that is the core's. Besides the core only Netty (public classes) and
 * Agrona are used.
 */
package io.rxe.net;
