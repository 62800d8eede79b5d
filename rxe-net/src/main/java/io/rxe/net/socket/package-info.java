/**
 * UDP sockets: how they are opened, how batches of frames leave through them (UDP_SEGMENT) and arrive (UDP_GRO).
 *
 * <p>A received datagram: kernel, {@link io.rxe.net.socket.DirectUdpPort} (or a {@link io.rxe.net.socket.ReceiveSocket} of its own for the
 * peer that sends most), {@link io.rxe.net.socket.FrameDelivery} with {@link io.rxe.net.socket.GroSplitter}, then the receiver of the
 * port. A frame to send: {@link io.rxe.net.socket.EpollPacketSink} (batch and ICRC), the port, kernel.
 *
 * <p>The IPv4 identification is part of the ICRC and a UDP socket never shows it. Two properties of the kernel make it known to the
 * sender: an unconnected socket that forbids fragmentation sends identification 0, and a UDP_SEGMENT send numbers its segments
 * 0, 1, 2 and so on. So a socket that sends is never connected.
 *
 * <p>Knows the frame format, but no queue pair and no engine; nor captures and faults.
 */
package io.rxe.net.socket;
