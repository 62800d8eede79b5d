package io.rxe.sim;

import io.rxe.verbs.Operation;
import java.util.BitSet;

/** One request message on the wire: a SEND, a WRITE, an atomic, or one READ request. */
final class WireMessage {
    final Request request;
    final long firstSeq;
    final int packets;
    /** Its number among the messages of this direction, from 1. */
    final long number;
    final boolean isRead;
    final boolean isAtomic;
    /** READ: remote address and length. */
    final long address;
    final long bytes;
    /** Responses to a READ or atomic that reached the requester. */
    private final BitSet arrived = new BitSet();
    private int arrivedEdge;
    /** Whether the responder has sent a response packet. */
    boolean responseBegun;

    WireMessage(Request request, long firstSeq, int packets, long number, boolean isRead, boolean isAtomic, long address, long bytes) {
        this.request = request;
        this.firstSeq = firstSeq;
        this.packets = packets;
        this.number = number;
        this.isRead = isRead;
        this.isAtomic = isAtomic;
        this.address = address;
        this.bytes = bytes;
    }

    boolean isReadOrAtomic() {
        return isRead || isAtomic;
    }

    long endSeq() {
        return firstSeq + packets;
    }

    /** Payload of the response packet at an index. */
    int responseBytes(int index, int mtu) {
        return isAtomic ? 0 : (int) Math.min(mtu, bytes - (long) index * mtu);
    }

    void arrived(int index) {
        arrived.set(index);
        arrivedEdge = arrived.nextClearBit(arrivedEdge);
    }

    /** The peer has executed all before a sequence number: a FLUSH brings no data, so that is as good as its response (rule Q16). */
    void executedTo(long seq) {
        if (request.operation == Operation.FLUSH && seq >= endSeq()) {
            arrived(0);
        }
    }

    /** All responses before this index have arrived. */
    int arrivedEdge() {
        return arrivedEdge;
    }

    boolean isAnswered() {
        return arrivedEdge == packets;
    }

    /** Whether a later response has overtaken a missing one. */
    boolean isOvertaken() {
        return arrived.length() > arrivedEdge;
    }
}
