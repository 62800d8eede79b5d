package io.rxe.qp.responder;

import io.rxe.memory.Region;
import io.rxe.memory.ScatterGatherList;
import io.rxe.qp.context.FileFlush;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.wire.Feth;
import io.rxe.wire.Reth;

/**
 * ATOMIC_WRITE and FLUSH: how written data is placed. Requests are executed in PSN order, so what lies before them is in memory already
 * (rules R20, R21).
 *
 * <p>A check returns null when it passes. {@link #execute} follows after all of them. Owned by the engine thread.
 */
final class PlacementRequests {
    private final QueuePairContext context;
    private Region target;

    PlacementRequests(QueuePairContext context) {
        this.context = context;
    }

    /** The access rights that queue pair and memory have to grant. */
    int neededAccess(InboundPacket packet) {
        if (packet.opcode().isAtomicWrite()) {
            return AccessFlags.REMOTE_WRITE;
        }
        int type = flushType(packet);
        return ((type & FlushType.GLOBAL) != 0 ? AccessFlags.FLUSH_GLOBAL : 0)
            | ((type & FlushType.PERSISTENT) != 0 ? AccessFlags.FLUSH_PERSISTENT : 0);
    }

    /** Lengths, and values that are not defined. */
    NakReason check(InboundPacket packet) {
        long length = length(packet);
        boolean fits = packet.opcode().isAtomicWrite() ? length == Long.BYTES && packet.payloadLength() == Long.BYTES
            : packet.payloadLength() == 0 && length <= ScatterGatherList.MAX_MESSAGE_BYTES && flushType(packet) != 0
            && (flushType(packet) & ~FlushType.ALL) == 0 && flushLevel(packet) <= FlushLevel.REGION.ordinal();
        return fits ? null : NakReason.INVALID_REQUEST;
    }

    /** Key, rights and range; the alignment of an ATOMIC_WRITE comes after them, as that of an atomic. A whole region has no range. */
    NakReason checkKey(InboundPacket packet) {
        int key = Reth.rKey(packet.buffer(), packet.at(packet.opcode().rethOffset()));
        Region region;
        if (isWholeRegion(packet)) {
            region = context.keys().find(key);
            boolean granted = region != null && region.domain() == context.domain() && region.grants(neededAccess(packet))
                && region.serves(context);
            region = granted ? region : null;
        } else {
            region = context.remote(key, neededAccess(packet), address(packet), length(packet));
        }
        if (region == null) {
            return NakReason.REMOTE_ACCESS;
        }
        if (packet.opcode().isAtomicWrite() && !region.isAligned(address(packet))) {
            return NakReason.MISALIGNED;
        }
        target = region;
        return null;
    }

    /** Writes, or makes what was written visible. A FLUSH to persistence takes as long as the file system needs: {@link #toFile}. */
    NakReason execute(InboundPacket packet) {
        // Kept no longer than this packet: the memory is free when its region is closed.
        Region region = target;
        target = null;
        if (packet.opcode().isAtomicWrite()) {
            return region.writeAtomically(address(packet), packet.buffer(), packet.payloadOffset()) ? null : NakReason.MEMORY_FAULT;
        }
        Region.makeVisible();
        return null;
    }

    /** Whether a request is a FLUSH to persistence. */
    static boolean isToFile(InboundPacket packet) {
        return packet.opcode().isFlush() && (flushType(packet) & FlushType.PERSISTENT) != 0;
    }

    /** In place of {@link #execute}: what remains to be done of a FLUSH to persistence; {@code request} describes it. */
    FileFlush toFile(InboundPacket packet, String request) {
        Region region = target;
        target = null;
        Region.makeVisible();
        return new FileFlush(region, isWholeRegion(packet) ? FlushLevel.REGION : FlushLevel.RANGE, address(packet), length(packet),
            packet.flow(), request);
    }

    private static boolean isWholeRegion(InboundPacket packet) {
        return packet.opcode().isFlush() && flushLevel(packet) == FlushLevel.REGION.ordinal();
    }

    private static int flushType(InboundPacket packet) {
        return Feth.placementType(packet.buffer(), packet.at(packet.opcode().fethOffset()));
    }

    private static int flushLevel(InboundPacket packet) {
        return Feth.selectivityLevel(packet.buffer(), packet.at(packet.opcode().fethOffset()));
    }

    private static long address(InboundPacket packet) {
        return Reth.virtualAddress(packet.buffer(), packet.at(packet.opcode().rethOffset()));
    }

    private static long length(InboundPacket packet) {
        return Reth.dmaLength(packet.buffer(), packet.at(packet.opcode().rethOffset()));
    }
}
