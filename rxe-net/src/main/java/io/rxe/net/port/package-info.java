/**
 * The UDP port as the rest of rxe-net sees it: the interface of a bound socket and of the layers around one, its counters, its clock
 * and its warnings.
 *
 * <p>A received frame goes from a {@link io.rxe.net.port.UdpPort} to a {@link io.rxe.net.port.FrameReceiver}; a frame to send comes
 * from the packet sink to {@link io.rxe.net.port.UdpPort#send}. Knows no socket, no engine and no other room of rxe-net.
 */
package io.rxe.net.port;
