package io.rxe.net.socket;

import io.rxe.verbs.PathMtu;
import io.rxe.wire.Bth;
import io.rxe.wire.GapReport;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import org.agrona.DirectBuffer;

/**
 * Finds the frames in a datagram that UDP_GRO may have coalesced.
 *
 * <p>The kernel reports the segment size in a control message, which the receive calls of Netty's public socket class do not return. So
 * the size is found from the frames. All frames of a batch have the same length, except that the last may be shorter, so only the
 * length of the first is needed:
 *
 * <ul>
 *   <li>READ requests, atomics and acknowledgements have a fixed length; a gap report behind one has its length in itself, and a WRITE
 *       ONLY in the RETH.</li>
 *   <li>FIRST and MIDDLE carry a full path MTU, so there are five lengths to try.</li>
 *   <li>LAST and ONLY may have any multiple of four. The length that the peer's last batch had is tried first, then full packets.</li>
 * </ul>
 *
 * <p>Payload may look like headers, by chance or by design. So a frame that is good as a whole is one frame, and a cut
 * needs proof of bytes that no payload determines:
 *
 * <ul>
 *   <li>Headers that fit near both ends (at most one may be corrupt), at most {@value #MAX_PIECES} pieces.</li>
 *   <li>And the same queue pair with consecutive PSNs throughout, where the datagram as a whole is not one good frame; or the ICRCs of
 *       the first and the last piece, with identifications in order. Where one of the two is corrupt its neighbour stands in.</li>
 * </ul>
 *
 * <p>A datagram whose first piece is noise is cut if the others have that proof. What cannot be cut is delivered as one frame; if it was
 * a batch, the engine drops it as corrupt and the protocol repairs the loss.
 *
 * <p>Belongs to the owner of one engine. Allocates nothing.
 */
final class GroSplitter {
    private static final int MIN_FRAME = HeaderValidator.MIN_LENGTH;
    static final int MAX_FRAME = HeaderValidator.MAX_LENGTH;
    /** Bounds the ICRCs computed for one datagram, so that payload that looks like headers cannot stall the loop. */
    static final int MAX_ICRCS = 10;
    /** The same for a sender that has not sent a good frame yet. */
    static final int MAX_ICRCS_UNVERIFIED = 6;
    /** Most frames that a kernel coalesces. */
    private static final int MAX_PIECES = 128;
    /** Headers looked at near each end of a datagram before anything dearer. */
    private static final int HEADERS_AT_END = 3;
    /** Identifications that a peer may have used for others between two frames of a batch. */
    private static final int ID_WINDOW = 4096;
    /** The same between two single frames of a peer that counts them. */
    private static final int ID_STEP = 64;
    private static final int NOT_COMPUTED = -2;
    private static final int WRONG = -1;
    private static final PathMtu[] MTUS = PathMtu.values();

    private final Icrc icrc = new Icrc();
    private DirectBuffer buffer;
    private int offset;
    private int lengthBytes;
    private Peer peer;
    private int icrcsLeft;
    /** Identification of the datagram taken as one frame. */
    private int wholeId;

    /**
     * Finds the length of the frames in a datagram.
     *
     * @param offset      of the first BTH.
     * @param lengthBytes of the datagram.
     * @param peer        its sender; keeps the length found.
     * @return length of every frame but the last, which may be shorter; {@code lengthBytes} if there is only one.
     */
    int segmentBytes(DirectBuffer buffer, int offset, int lengthBytes, Peer peer) {
        if (lengthBytes < 2 * MIN_FRAME) {
            return lengthBytes;
        }
        this.buffer = buffer;
        this.offset = offset;
        this.lengthBytes = lengthBytes;
        this.peer = peer;
        icrcsLeft = peer.verified ? MAX_ICRCS : MAX_ICRCS_UNVERIFIED;
        wholeId = NOT_COMPUTED;
        Opcode opcode = opcode(0);
        int segment = opcode == null ? lengthBytes : byFirst(opcode);
        if (segment == lengthBytes && peer.verified && (opcode == null || lengthBytes > MAX_FRAME)) {
            segment = bySecond();
        }
        if (segment < lengthBytes) {
            peer.segmentBytes = segment;
        } else if (wholeId >= 0) {
            peer.lastIpId = wholeId;
        }
        return segment;
    }

    /** How many more ICRCs the last datagram could have cost. */
    int icrcsLeft() {
        return icrcsLeft;
    }

    /** Finds the length with the first frame's header. */
    private int byFirst(Opcode opcode) {
        int overhead = opcode.headerLength() + Icrc.LENGTH;
        if (!opcode.hasPayload()) {
            return fits(overhead, 0) ? overhead : opcode.isAck() ? byReport(overhead) : lengthBytes;
        }
        if (opcode.isWrite() && opcode.isOnly()) {
            long payload = Reth.dmaLength(buffer, offset + opcode.rethOffset());
            int frame = overhead + ((int) Math.min(payload, MAX_FRAME) + 3 & ~3);
            return fits(frame, 0) ? frame : lengthBytes;
        }
        if (isCut(peer.segmentBytes, 0)) {
            return peer.segmentBytes;
        }
        boolean isFull = opcode.isFirst() || opcode.isMiddle();
        for (PathMtu mtu : MTUS) {
            int frame = overhead + mtu.bytes();
            if (isFull ? isCut(frame, 0) : lengthBytes > MAX_FRAME && fits(frame, 0) && isSequence(frame)) {
                return frame;
            }
        }
        return isFull || lengthBytes <= MAX_FRAME && isCertainlyOne() ? lengthBytes : scan(overhead, 0);
    }

    private int byReport(int overhead) {
        int frame = overhead + GapReport.lengthBytes(GapReport.gaps(buffer, offset + overhead - Icrc.LENGTH));
        return fits(frame, 0) ? frame : lengthBytes;
    }

    /** Finds the length where the first frame is noise. */
    private int bySecond() {
        return isCut(peer.segmentBytes, 1) ? peer.segmentBytes : scan(MIN_FRAME, 1);
    }

    private int scan(int shortest, int reference) {
        int longest = Math.min(MAX_FRAME, lengthBytes - MIN_FRAME);
        for (int frame = shortest; frame <= longest && icrcsLeft > 0; frame += 4) {
            if (isCut(frame, reference)) {
                return frame;
            }
        }
        return lengthBytes;
    }

    /** Whether the datagram is proved to consist of frames of a length. The header of piece {@code reference} is taken as right. */
    private boolean isCut(int frame, int reference) {
        if (!fits(frame, reference)) {
            return false;
        }
        boolean isOne = false;
        if (lengthBytes <= MAX_FRAME) {
            if (isCertainlyOne()) {
                return false;
            }
            isOne = wholeId >= 0;
        }
        return reference == 0 && !isOne && isSequence(frame) || isProvedByIcrc(frame, isOne);
    }

    /** Whether the datagram is at least two pieces of this length, the last perhaps shorter, all but one with a header that fits. */
    private boolean fits(int frame, int reference) {
        if (frame < MIN_FRAME || frame > MAX_FRAME || (reference + 1) * frame + MIN_FRAME > lengthBytes) {
            return false;
        }
        int pieces = (lengthBytes + frame - 1) / frame;
        if (pieces > MAX_PIECES || lengthBytes - (pieces - 1) * frame < MIN_FRAME) {
            return false;
        }
        int misfits = reference;
        int allowed = pieces > 3 ? 1 : 0;
        int key = Bth.partitionKey(buffer, offset + reference * frame);
        for (int piece = reference; piece < pieces && misfits <= allowed; piece++) {
            if (piece == reference + HEADERS_AT_END) {
                // Payload that looks like headers everywhere must not cost a walk through the whole datagram for each length.
                piece = Math.max(piece, pieces - HEADERS_AT_END);
            }
            int at = piece * frame;
            Opcode opcode = opcode(at);
            if (opcode == null || Bth.partitionKey(buffer, offset + at) != key
                || !isLength(at, opcode, Math.min(frame, lengthBytes - at))) {
                misfits++;
            }
        }
        return misfits <= allowed;
    }

    private boolean isLength(int at, Opcode opcode, int bytes) {
        int behind = bytes - opcode.headerLength() - Icrc.LENGTH;
        if (!opcode.hasPayload()) {
            return behind == 0 || opcode.isAck() && GapReport.isValid(buffer, offset + at + opcode.headerLength(), behind);
        }
        return opcode.isFirst() || opcode.isMiddle() ? isMtu(behind) : behind >= 0 && (behind & 3) == 0;
    }

    /** Whether each header has the PSN after that of the one before, on the same queue pair. */
    private boolean isSequence(int frame) {
        for (int at = frame; at < lengthBytes; at += frame) {
            if (!continues(offset + at - frame, offset + at)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the ICRCs of the first and the last piece are right, with identifications in order; those bytes are not all payload.
     *
     * @param isOne whether the datagram may be one frame: then the first identification must be one that the peer would use.
     */
    private boolean isProvedByIcrc(int frame, boolean isOne) {
        int last = (lengthBytes - 1) / frame;
        int firstId = identification(0, frame);
        if (firstId < 0 && isOne) {
            return false;
        }
        int lastId = identification(last * frame, lengthBytes - last * frame);
        if (firstId >= 0 && lastId >= 0) {
            return isInOrder(firstId, lastId) && (!isOne || isExpected(firstId));
        }
        if (isOne || last < 2 || firstId < 0 && lastId < 0) {
            return false;
        }
        if (firstId >= 0) {
            int second = identification(frame, frame);
            return second >= 0 && isInOrder(firstId, second);
        }
        int beforeLast = identification((last - 1) * frame, frame);
        return beforeLast >= 0 && isInOrder(beforeLast, lastId);
    }

    /**
     * Whether the datagram as a whole is certainly one good frame. Over IPv4 an ICRC alone proves 16 bits, so one batch in 65,536
     * would pass as one frame. An identification that is 0, or follows the peer's last one, is the missing proof.
     */
    private boolean isCertainlyOne() {
        if (wholeId == NOT_COMPUTED) {
            wholeId = identification(0, lengthBytes);
        }
        return wholeId >= 0 && (!peer.flow.isIpv4() || wholeId == 0 || isExpected(wholeId));
    }

    /** Whether a peer would give a frame behind its last single one this identification: 0, or the next if it counts them. */
    private boolean isExpected(int id) {
        return peer.lastIpId == 0 ? id == 0 : (id - peer.lastIpId - 1 & 0xFFFF) < ID_STEP;
    }

    private static boolean isInOrder(int earlier, int later) {
        return (later - earlier & 0xFFFF) <= ID_WINDOW;
    }

    /** The identification of a piece with a right ICRC, 0 over IPv6; negative where the ICRC is wrong or too many were computed. */
    private int identification(int at, int bytes) {
        if (icrcsLeft <= 0) {
            return WRONG;
        }
        icrcsLeft--;
        if (peer.flow.isIpv4()) {
            return icrc.recoverIpId(buffer, offset + at, bytes, peer.flow.icrcSeed());
        }
        return icrc.isValidIpv6(buffer, offset + at, bytes, peer.flow.icrcSeed()) ? 0 : WRONG;
    }

    /** The opcode of a header; null where there is none. */
    private Opcode opcode(int at) {
        return Bth.transportVersion(buffer, offset + at) == 0 ? Opcode.of(buffer.getByte(offset + at)) : null;
    }

    /** The reserved bits of the word with the queue pair may differ: some packets tell when they leave. */
    private boolean continues(int first, int second) {
        return Bth.destinationQpn(buffer, first) == Bth.destinationQpn(buffer, second)
            && Bth.psn(buffer, second) == Psn.next(Bth.psn(buffer, first));
    }

    private static boolean isMtu(int bytes) {
        return bytes >= 256 && bytes <= 4096 && Integer.bitCount(bytes) == 1;
    }
}
