package io.rxe.net.socket;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.DatagramSocketAddress;
import io.rxe.net.port.HeaderReceive;
import io.rxe.port.Flow;
import io.rxe.wire.Ecn;
import java.io.IOException;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives datagrams, one at a time, into one buffer, and tells from whom the last one came. A socket that is connected has one sender,
 * whose address is not asked for. Belongs to the owner of the engine.
 */
final class DatagramReceiver {
    private static final int EAGAIN = 11;

    private final UnsafeBuffer received;
    private final FlowTable flows;
    /** Null where Netty receives. */
    private final HeaderReceive headers;
    private final UnsafeBuffer header;
    private Peer sender;
    private int trafficClass;

    /**
     * @param received where datagrams are received to, each at offset 0.
     * @param headers  receives with the traffic class; null for none.
     */
    DatagramReceiver(UnsafeBuffer received, FlowTable flows, HeaderReceive headers) {
        this.received = received;
        this.flows = flows;
        this.headers = headers;
        this.header = headers == null ? null : new UnsafeBuffer(BufferUtil.allocateDirectAligned(HeaderReceive.HEADER_BYTES, 8));
    }

    /**
     * Receives one datagram.
     *
     * @param connectedTo the only sender, where the socket is connected; null where anyone may send to it.
     * @return its length, or a negative number when none waits.
     * @throws IOException if the socket had a pending error, which this clears: an ICMP message reported that the peer's port is closed.
     */
    int receive(LinuxSocket from, Peer connectedTo) throws IOException {
        if (headers != null) {
            return receiveWithHeader(from, connectedTo);
        }
        if (connectedTo != null) {
            sender = connectedTo;
            int length = from.recvAddress(received.addressOffset(), 0, received.capacity());
            // Netty returns 0 for nothing there, -1 for an empty datagram.
            return length > 0 ? length : -1 - length;
        }
        DatagramSocketAddress address = from.recvFromAddress(received.addressOffset(), 0, received.capacity());
        if (address == null) {
            return -1;
        }
        sender = flows.peer(address);
        return address.receivedAmount();
    }

    private int receiveWithHeader(LinuxSocket from, Peer connectedTo) throws IOException {
        int length = headers.receive(from.intValue(), received.addressOffset(), received.capacity(), header.addressOffset());
        if (length >= 0) {
            sender = connectedTo != null ? connectedTo : flows.peer(header.getLong(0, ByteOrder.BIG_ENDIAN),
                header.getLong(Long.BYTES, ByteOrder.BIG_ENDIAN), header.getInt(HeaderReceive.PORT_AT));
            trafficClass = header.getInt(HeaderReceive.CLASS_AT);
        } else if (length != -EAGAIN) {
            throw new IOException("recvmsg: errno " + -length);
        }
        return length;
    }

    /** Who sent the last datagram. */
    Peer sender() {
        return sender;
    }

    /** The flow of the last datagram. Its traffic class is 0 where it is not known, but for the mark of a socket of what is marked. */
    Flow flow(boolean isMarked) {
        return sender.flow(headers == null && isMarked ? Ecn.CONGESTION_EXPERIENCED : trafficClass);
    }
}
