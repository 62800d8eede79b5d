package io.rxe.net;

import java.nio.file.Path;

/**
 * What the system granted a NIC, which may be less than was asked for.
 *
 * @param receiveBufferBytes size of the smallest receive buffer, in bytes.
 * @param sendBufferBytes    size of the smallest send buffer, in bytes.
 * @param segmenting         whether several frames leave in one send (UDP_SEGMENT).
 * @param coalescing         whether several frames arrive in one receive (UDP_GRO).
 * @param counterFile        the file in which other processes read its counters; null when they cannot.
 */
public record SocketInfo(int receiveBufferBytes, int sendBufferBytes, boolean segmenting, boolean coalescing, Path counterFile) {
}
