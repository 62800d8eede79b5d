package io.rxe.net.socket;

import io.rxe.net.port.HeaderReceive;
import io.rxe.net.port.Offload;

/**
 * How the sockets of a NIC are opened and used.
 *
 * @param sharesAddress      whether several sockets share one address: those of several engines, or a second one for what is marked.
 * @param spin               whether the loops poll without sleeping, so that sockets are not registered with epoll.
 * @param once               whether the event loop is notified of a frame only once, until {@link io.rxe.net.port.UdpPort#rearm}.
 * @param gso                whether several frames leave in one send.
 * @param gro                whether several frames arrive in one receive.
 * @param receiveBufferBytes receive buffer asked for, in bytes of payload.
 * @param sendBufferBytes    send buffer asked for, in bytes of payload.
 * @param headers            receives with the traffic class; null where Netty receives.
 */
public record SocketSettings(boolean sharesAddress, boolean spin, boolean once, Offload gso, Offload gro, int receiveBufferBytes,
                             int sendBufferBytes, HeaderReceive headers) {
}
