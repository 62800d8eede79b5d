package io.rxe.net.port;

/**
 * A receive of datagrams with what Netty's leaves out: the traffic class, which Linux tells in a control message. Native code of the
 * process has one ({@code rxe run}); without it the class of a received datagram is known only where it is marked CE.
 */
@FunctionalInterface
public interface HeaderReceive {
    /** Bytes of the header that {@link #receive} writes. */
    int HEADER_BYTES = 24;
    /** In the header: the sender's UDP port, an int of the processor's byte order, behind its GID. */
    int PORT_AT = 16;
    /** In the header: the traffic class, an int as well. */
    int CLASS_AT = 20;

    /**
     * Receives one datagram of a UDP socket, without waiting. Called by the owner of an engine.
     *
     * @param socket   a file descriptor, with IP_RECVTOS or IPV6_RECVTCLASS.
     * @param address  of memory for the datagram.
     * @param capacity of it, in bytes.
     * @param header   address of {@link #HEADER_BYTES} for the sender and the class.
     * @return length of the datagram in bytes, or a negative errno.
     */
    int receive(int socket, long address, int capacity, long header);
}
