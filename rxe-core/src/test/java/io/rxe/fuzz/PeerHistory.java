package io.rxe.fuzz;

import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import java.util.TreeMap;
import org.agrona.DirectBuffer;

/**
 * Whether the requests of a peer agree with each other: none lies before the first, each PSN belongs to one request, and a retransmission
 * repeats it. Only then the rules of what a kernel peer must not be sent have a meaning, because a kernel never breaks this.
 */
final class PeerHistory {
    /** A request further than this from the newest could not be in flight together with it. */
    private static final long MAX_DISTANCE = 1 << 12;

    /**
     * A request.
     *
     * @param packets     PSNs it takes: for a READ one for each response.
     * @param address     of the first byte, for a READ.
     * @param lengthBytes of all responses, for a READ.
     */
    private record Request(long seq, Opcode opcode, long packets, long address, long lengthBytes) {
        long end() {
            return seq + packets;
        }
    }

    private final int mtu;
    private final TreeMap<Long, Request> requests = new TreeMap<>();
    private final long first;
    private long newest;
    private boolean consistent = true;

    /**
     * @param mtu      payload bytes of a full packet.
     * @param firstPsn the PSN of the peer's first request.
     */
    PeerHistory(int mtu, int firstPsn) {
        this.mtu = mtu;
        first = (1L << 24) + firstPsn;
        newest = first - 1;
    }

    boolean isConsistent() {
        return consistent;
    }

    /** The peer sent a packet that passed admission. */
    void add(DirectBuffer packet) {
        Opcode opcode = Opcode.of(Bth.opcode(packet, 0));
        if (!opcode.isRequest() || !consistent) {
            return;
        }
        int psn = Bth.psn(packet, 0);
        long seq = newest + Psn.subtract(psn, (int) newest & Psn.MASK);
        boolean isRead = opcode.isReadRequest();
        long bytes = isRead ? Reth.dmaLength(packet, opcode.rethOffset()) : 0;
        Request request = new Request(seq, opcode, Math.max(1, (bytes + mtu - 1) / mtu),
            isRead ? Reth.virtualAddress(packet, opcode.rethOffset()) : 0, bytes);
        consistent = request.packets <= MAX_DISTANCE && Math.abs(seq - newest) <= MAX_DISTANCE && seq >= first && agrees(request);
        requests.putIfAbsent(seq, request);
        newest = Math.max(newest, request.end() - 1);
    }

    private boolean agrees(Request request) {
        var before = requests.floorEntry(request.seq);
        if (before != null && before.getValue().end() > request.seq) {
            return request.equals(before.getValue()) || isRestOf(before.getValue(), request);
        }
        var behind = requests.ceilingEntry(request.seq);
        return behind == null || behind.getKey() >= request.end();
    }

    /** A READ retransmitted from a packet in its middle. */
    private boolean isRestOf(Request whole, Request rest) {
        long skipped = (rest.seq - whole.seq) * mtu;
        return whole.opcode == rest.opcode && whole.opcode.isReadRequest() && rest.address == whole.address + skipped
            && rest.lengthBytes == whole.lengthBytes - skipped;
    }
}
