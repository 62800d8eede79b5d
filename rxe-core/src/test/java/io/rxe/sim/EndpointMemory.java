package io.rxe.sim;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of one side of a connection, every part between guards:
 *
 * <pre>
 *   guard | window: the peer reads and writes | guard | local slots, one a request | guard | receive slots | guard
 * </pre>
 *
 * <p>Regions get made-up addresses, so that a run is the same wherever the process put its buffers.
 */
final class EndpointMemory {
    private static final int GUARD_BYTES = 64;

    final ByteBuffer memory;
    final int windowStart;
    final int windowBytes;
    final int localStart;
    final int receiveStart;
    final MemoryRegion window;
    final MemoryRegion local;
    final MemoryRegion receives;
    /** Grants nothing to peers. */
    final MemoryRegion closed;
    /** Belongs to another domain. */
    final MemoryRegion foreign;
    /** Each may be invalidated by the peer once. */
    final ArrayDeque<MemoryRegion> disposable = new ArrayDeque<>();
    private final List<MemoryRegion> all = new ArrayList<>();
    private final int localEnd;
    private final int receiveEnd;

    EndpointMemory(EndpointSettings settings, Dice dice, MemoryArena arena, ProtectionDomain domain, ProtectionDomain otherDomain) {
        windowBytes = Math.max(1024, settings.maxMessage + dice.between(0, settings.maxMessage) + 7 & ~7);
        windowStart = GUARD_BYTES;
        localStart = windowStart + windowBytes + GUARD_BYTES;
        localEnd = localStart + settings.sendDepth * settings.localSlotBytes();
        receiveStart = localEnd + GUARD_BYTES;
        receiveEnd = receiveStart + settings.receiveDepth * settings.receiveSlotBytes();
        memory = arena.allocate(receiveEnd + GUARD_BYTES);
        int remote = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
        window = windowRegion(domain, dice, remote);
        local = keep(domain.register(AccessFlags.LOCAL_WRITE, base(dice), memory.slice(localStart, localEnd - localStart)));
        receives = keep(domain.register(AccessFlags.LOCAL_WRITE, base(dice), memory.slice(receiveStart, receiveEnd - receiveStart)));
        closed = keep(domain.register(AccessFlags.LOCAL_WRITE, window.address(), memory.slice(windowStart, windowBytes)));
        foreign = keep(otherDomain.register(remote, window.address(), memory.slice(windowStart, windowBytes)));
        for (int i = dice.between(0, 4); i > 0; i--) {
            disposable.add(keep(domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_INVALIDATE, base(dice),
                memory.slice(windowStart, windowBytes))));
        }
    }

    private MemoryRegion windowRegion(ProtectionDomain domain, Dice dice, int access) {
        if (dice.chance(0.5)) {
            return keep(domain.register(access, base(dice), memory.slice(windowStart, windowBytes)));
        }
        int cut = dice.between(1, windowBytes / 8 - 1) * 8;
        return keep(domain.register(access, base(dice), memory.slice(windowStart, cut),
            memory.slice(windowStart + cut, windowBytes - cut)));
    }

    private MemoryRegion keep(MemoryRegion region) {
        all.add(region);
        return region;
    }

    private static long base(Dice dice) {
        return dice.chance(0.1) ? 0 : dice.chance(0.1) ? -(1L << 24) : dice.longBits() & 0x0000_7fff_ffff_fff8L;
    }

    void checkGuards() {
        checkGuard(0);
        checkGuard(windowStart + windowBytes);
        checkGuard(localEnd);
        checkGuard(receiveEnd);
    }

    private void checkGuard(int from) {
        for (int i = from; i < from + GUARD_BYTES; i++) {
            if (memory.get(i) != Pieces.UNTOUCHED) {
                throw new SimulationFailure("byte " + i + " outside every region was written");
            }
        }
    }

    void close() {
        all.forEach(MemoryRegion::close);
    }
}
