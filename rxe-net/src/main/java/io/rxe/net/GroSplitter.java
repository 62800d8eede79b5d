package io.rxe.net;

import io.rxe.verbs.PathMtu;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import org.agrona.DirectBuffer;

/**
 * Finds the frames in a datagram that UDP_GRO may have put together.
 *
 * <p>The kernel tells the segment size in a control message, which the receive calls of Netty's public socket class do not
 * carry. So the size is found again from the frames. All frames of a batch are equally long, except that the last may be
 * shorter, so only the length of the first is in question:
 *
 * <ul>
 *   <li>Acknowledgements, READ requests and atomics have one length; a WRITE ONLY says its own in the RETH.</li>
 *   <li>FIRST and MIDDLE carry a full path MTU, so there are five lengths to try.</li>
 *   <li>LAST and ONLY may have any multiple of four. The length that the peer's last batch had is tried first.</li>
 * </ul>
 *
 * <p>A length counts when a BTH follows in its place and, to prove it, either that BTH continues the first one (same queue
 * pair, next PSN: 56 bits that agree), or the first frame's ICRC is right for that length. What cannot be cut is one frame:
 * the engine judges it, and if it was a batch after all drops it as corrupt, which the protocol repairs.
 *
 * <p>Belongs to one loop thread. Allocates nothing.
 */
final class GroSplitter {
    private static final int MIN_FRAME = HeaderValidator.MIN_LENGTH;
    static final int MAX_FRAME = HeaderValidator.MAX_LENGTH;
    /** ICRCs tried on one datagram: payload made to look like headers cannot hold the loop up. */
    private static final int MAX_TRIALS = 64;
    /** How far the identifications of a peer that counts them go on between two looks. */
    private static final int ID_WINDOW = 4096;
    private static final PathMtu[] MTUS = PathMtu.values();

    private final Icrc icrc = new Icrc();
    private int trialsLeft;

    /**
     * Finds the length of the frames in a datagram.
     *
     * @param offset      of the first BTH.
     * @param lengthBytes of the datagram.
     * @param peer        where it came from; remembers the answer.
     * @return length of every frame but the last, which may be shorter; {@code lengthBytes} if there is only one.
     */
    int segmentBytes(DirectBuffer buffer, int offset, int lengthBytes, Peer peer) {
        if (lengthBytes < 2 * MIN_FRAME) {
            return lengthBytes;
        }
        Opcode opcode = Opcode.of(buffer.getByte(offset));
        if (opcode == null || Bth.transportVersion(buffer, offset) != 0) {
            return lengthBytes;
        }
        trialsLeft = MAX_TRIALS;
        int segment;
        if (!opcode.hasPayload()) {
            segment = ofFixedLength(buffer, offset, lengthBytes, opcode.headerLength() + Icrc.LENGTH);
        } else if (opcode.isWrite() && opcode.isOnly()) {
            segment = ofWriteOnly(buffer, offset, lengthBytes, opcode);
        } else if (opcode.isFirst() || opcode.isMiddle()) {
            segment = ofFullMtu(buffer, offset, lengthBytes, opcode, peer);
        } else {
            segment = ofAnyLength(buffer, offset, lengthBytes, opcode, peer);
        }
        if (segment < lengthBytes) {
            peer.segmentBytes = segment;
        }
        return segment;
    }

    private static int ofFixedLength(DirectBuffer buffer, int offset, int lengthBytes, int frame) {
        return fitsTwo(frame, lengthBytes) && isAlike(buffer, offset, offset + frame) ? frame : lengthBytes;
    }

    private static int ofWriteOnly(DirectBuffer buffer, int offset, int lengthBytes, Opcode opcode) {
        long payload = Reth.dmaLength(buffer, offset + opcode.rethOffset());
        if (payload > PathMtu.MTU_4096.bytes()) {
            return lengthBytes;
        }
        return ofFixedLength(buffer, offset, lengthBytes, opcode.headerLength() + ((int) payload + 3 & ~3) + Icrc.LENGTH);
    }

    private int ofFullMtu(DirectBuffer buffer, int offset, int lengthBytes, Opcode opcode, Peer peer) {
        int overhead = opcode.headerLength() + Icrc.LENGTH;
        if (isMtu(peer.segmentBytes - overhead) && isBoundary(buffer, offset, peer.segmentBytes, lengthBytes, peer)) {
            return peer.segmentBytes;
        }
        for (PathMtu mtu : MTUS) {
            if (isBoundary(buffer, offset, overhead + mtu.bytes(), lengthBytes, peer)) {
                return overhead + mtu.bytes();
            }
        }
        return lengthBytes;
    }

    private int ofAnyLength(DirectBuffer buffer, int offset, int lengthBytes, Opcode opcode, Peer peer) {
        if (isBoundary(buffer, offset, peer.segmentBytes, lengthBytes, peer)) {
            return peer.segmentBytes;
        }
        if (lengthBytes <= MAX_FRAME && isCertainlyOne(buffer, offset, lengthBytes, peer)) {
            return lengthBytes;
        }
        int longest = Math.min(MAX_FRAME, lengthBytes - MIN_FRAME);
        for (int frame = opcode.headerLength() + Icrc.LENGTH; frame <= longest; frame += 4) {
            if (isBoundary(buffer, offset, frame, lengthBytes, peer)) {
                return frame;
            }
        }
        return lengthBytes;
    }

    /**
     * Whether the datagram as a whole is one good frame beyond doubt. Over IPv4 an ICRC alone has the strength of 16 bits, so
     * one batch in 65,536 could pass as one frame; an identification that is 0, or goes on where the peer's last one was,
     * settles it.
     */
    private boolean isCertainlyOne(DirectBuffer buffer, int offset, int lengthBytes, Peer peer) {
        if (!peer.flow.isIpv4()) {
            return icrc.isValidIpv6(buffer, offset, lengthBytes, peer.flow.icrcSeed());
        }
        int id = icrc.recoverIpId(buffer, offset, lengthBytes, peer.flow.icrcSeed());
        if (id < 0) {
            return false;
        }
        boolean goesOn = (id - peer.lastIpId & 0xFFFF) <= ID_WINDOW;
        peer.lastIpId = id;
        return id == 0 || goesOn;
    }

    private boolean isBoundary(DirectBuffer buffer, int offset, int frame, int lengthBytes, Peer peer) {
        if (!fitsTwo(frame, lengthBytes) || !isAlike(buffer, offset, offset + frame)) {
            return false;
        }
        return continues(buffer, offset, offset + frame) || trialsLeft-- > 0 && verifies(buffer, offset, frame, peer);
    }

    private boolean verifies(DirectBuffer buffer, int offset, int frame, Peer peer) {
        return peer.flow.isIpv4() ? icrc.recoverIpId(buffer, offset, frame, peer.flow.icrcSeed()) >= 0
            : icrc.isValidIpv6(buffer, offset, frame, peer.flow.icrcSeed());
    }

    /** Whether a frame of this length leaves room for another one. */
    private static boolean fitsTwo(int frame, int lengthBytes) {
        return frame >= MIN_FRAME && frame <= MAX_FRAME && frame + MIN_FRAME <= lengthBytes;
    }

    /** Whether what lies at {@code second} could be a BTH on the path of the one at {@code first}. */
    private static boolean isAlike(DirectBuffer buffer, int first, int second) {
        return Bth.partitionKey(buffer, second) == Bth.partitionKey(buffer, first)
            && Bth.transportVersion(buffer, second) == 0 && Opcode.of(buffer.getByte(second)) != null;
    }

    /** Whether the BTH at {@code second} is the one that follows {@code first} on the same queue pair. */
    private static boolean continues(DirectBuffer buffer, int first, int second) {
        return buffer.getInt(first + 4) == buffer.getInt(second + 4)
            && Bth.psn(buffer, second) == Psn.next(Bth.psn(buffer, first))
            && Opcode.of(buffer.getByte(second)).transport() == Opcode.of(buffer.getByte(first)).transport();
    }

    private static boolean isMtu(int bytes) {
        return bytes >= 256 && bytes <= 4096 && Integer.bitCount(bytes) == 1;
    }
}
