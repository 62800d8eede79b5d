package io.rxe.net;

import java.nio.file.Path;

/**
 * What the system gave a NIC, which may be less than it was asked for.
 *
 * @param receiveBufferBytes room of the smallest receive buffer, in bytes.
 * @param sendBufferBytes    room of the smallest send buffer, in bytes.
 * @param segmenting         whether several frames leave in one send (UDP_SEGMENT).
 * @param coalescing         whether several frames arrive in one receive (UDP_GRO).
 * @param counterFile        where other processes read its counters; null when they cannot.
 */
public record SocketInfo(int receiveBufferBytes, int sendBufferBytes, boolean segmenting, boolean coalescing, Path counterFile) {
}
