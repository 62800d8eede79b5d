package io.rxe.sim;

import io.rxe.verbs.Operation;
import io.rxe.wire.Feth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** Checks the packets of ATOMIC_WRITE and FLUSH, and their answers (rules Q16, R20, R21). */
final class PlacementRules {
    private PlacementRules() {
    }

    /** Whether a new request packet is that of a request, as far as these operations are concerned. */
    static boolean fits(Request request, Opcode opcode, UnsafeBuffer buffer) {
        if (opcode.isAtomicWrite() != (request.operation == Operation.ATOMIC_WRITE)
            || opcode.isFlush() != (request.operation == Operation.FLUSH)) {
            return false;
        }
        if (!opcode.isAtomicWrite() && !opcode.isFlush()) {
            return true;
        }
        int at = opcode.rethOffset();
        long length = Reth.dmaLength(buffer, at);
        if (Reth.rKey(buffer, at) != request.remoteKey) {
            return false;
        }
        if (opcode.isFlush()) {
            return length == request.flushBytes && Feth.placementType(buffer, opcode.fethOffset()) == request.flushType
                && Feth.selectivityLevel(buffer, opcode.fethOffset()) == request.flushLevel.ordinal();
        }
        byte[] payload = new byte[Long.BYTES];
        buffer.getBytes(opcode.headerLength(), payload);
        return length == Long.BYTES && Arrays.equals(payload, request.data);
    }

    /** Whether a request is answered by an empty READ response. */
    static boolean isConfirmed(Request request) {
        return request.operation == Operation.ATOMIC_WRITE || request.operation == Operation.FLUSH;
    }
}
