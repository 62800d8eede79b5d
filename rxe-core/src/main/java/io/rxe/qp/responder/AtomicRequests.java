package io.rxe.qp.responder;

import io.rxe.memory.Region;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AccessFlags;
import io.rxe.wire.AtomicEth;

/**
 * COMPARE_AND_SWAP and FETCH_AND_ADD: their key, and their execution (rules R6, R11). A check returns null when it passes; {@link #execute}
 * follows. Owned by the engine thread.
 */
final class AtomicRequests {
    private final QueuePairContext context;
    private Region target;
    private long original;

    AtomicRequests(QueuePairContext context) {
        this.context = context;
    }

    /** Alignment is checked after key, range and rights, as in rxe. */
    NakReason checkKey(InboundPacket packet) {
        int at = packet.at(packet.opcode().atomicEthOffset());
        long address = AtomicEth.virtualAddress(packet.buffer(), at);
        Region region = context.remote(AtomicEth.rKey(packet.buffer(), at), AccessFlags.REMOTE_ATOMIC, address, Long.BYTES);
        if (region == null) {
            return NakReason.REMOTE_ACCESS;
        }
        if ((address & 7) != 0) {
            return NakReason.MISALIGNED;
        }
        target = region;
        return null;
    }

    /** Changes the memory; {@link #original} is what it held. */
    NakReason execute(InboundPacket packet) {
        int at = packet.at(packet.opcode().atomicEthOffset());
        long address = AtomicEth.virtualAddress(packet.buffer(), at);
        long operand = AtomicEth.swapOrAdd(packet.buffer(), at);
        // Kept no longer than this packet: the memory is free when its region is closed.
        Region region = target;
        target = null;
        try {
            original = packet.opcode().isFetchAdd() ? region.fetchAndAdd(address, operand)
                : region.compareAndSwap(address, AtomicEth.compare(packet.buffer(), at), operand);
            return null;
        } catch (InternalError e) {
            return NakReason.MEMORY_FAULT;
        }
    }

    long original() {
        return original;
    }
}
