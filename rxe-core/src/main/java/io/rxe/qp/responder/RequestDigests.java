package io.rxe.qp.responder;

import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * What the headers of the latest requests said that were kept behind a gap and then executed, by sequence number.
 *
 * <p>A forged request needs no exact PSN there: any one in the reorder window is kept, and is executed before the true one arrives. The
 * true one then shows the forgery, if its headers differ. Payload is not compared: a peer writes a retransmission from memory that its
 * application may have changed since. A READ may be retransmitted in part, so only its opcode counts.
 *
 * <p>Owned by the engine thread. A queue pair that never sees a gap never allocates the entries.
 */
final class RequestDigests {
    /** The low half of the sequence number, and behind it the digest; 0 for none. */
    private long[] entries;

    /** A new connection. */
    void start() {
        if (entries != null) {
            Arrays.fill(entries, 0);
        }
    }

    /** A kept request was executed. */
    void add(long seq, InboundPacket request) {
        if (entries == null) {
            entries = new long[ReorderBuffer.WINDOW];
        }
        entries[slot(seq)] = seq << Integer.SIZE | digest(request) & 0xFFFF_FFFFL;
    }

    /** Whether another request with this sequence number was executed; false when none is remembered. */
    boolean contradict(long seq, InboundPacket request) {
        if (entries == null) {
            return false;
        }
        long entry = entries[slot(seq)];
        // After 2^32 packets a sequence number has the low half of none.
        return entry != 0 && (int) (entry >>> Integer.SIZE) == (int) seq && (int) entry != digest(request) && !isKeepAlive(request);
    }

    /** A keep-alive has the PSN of another request (rule T11). It names no byte, so a forged one changes nothing. */
    static boolean isKeepAlive(InboundPacket request) {
        Opcode opcode = request.opcode();
        return opcode.isWrite() && opcode.isOnly() && Reth.dmaLength(request.buffer(), request.at(opcode.rethOffset())) == 0;
    }

    /** Of what every retransmission of a request repeats: not AckReq, nor MigReq, nor congestion marks. */
    private static int digest(InboundPacket request) {
        Opcode opcode = request.opcode();
        if (opcode.isReadRequest() || opcode.isFlush() || opcode.isAtomicWrite()) {
            // A READ may be repeated in part, and rdma_rxe repeats a FLUSH or ATOMIC_WRITE with address 0.
            return opcode.code();
        }
        DirectBuffer buffer = request.buffer();
        int digest = mix(opcode.code(), request.payloadLength());
        for (int at = request.offset() + Bth.LENGTH; at < request.payloadOffset(); at += Integer.BYTES) {
            digest = mix(digest, buffer.getInt(at));
        }
        return digest;
    }

    private static int mix(int digest, int word) {
        return Integer.rotateLeft((digest ^ word) * 0x9E37_79B1, 15);
    }

    private static int slot(long seq) {
        return (int) seq & ReorderBuffer.WINDOW - 1;
    }
}
