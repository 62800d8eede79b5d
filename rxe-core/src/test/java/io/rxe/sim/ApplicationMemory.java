package io.rxe.sim;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of one side of a connection. Guards separate the parts:
 *
 * <pre>
 *   guard | target: the peer reads and writes it | guard | local slots, one per request | guard | receive slots | guard
 * </pre>
 *
 * <p>Regions are registered at drawn addresses, so that a run does not depend on where the process allocated its buffers.
 */
final class ApplicationMemory {
    private static final int GUARD_BYTES = 64;

    final ByteBuffer memory;
    final int targetStart;
    final int targetBytes;
    final int localStart;
    final int receiveStart;
    final MemoryRegion target;
    final MemoryRegion local;
    final MemoryRegion receives;
    /** Region without remote access. */
    final MemoryRegion closed;
    /** Region of another protection domain. */
    final MemoryRegion foreign;
    /** Regions for SEND with invalidate; the peer invalidates each at most once. */
    final ArrayDeque<MemoryRegion> disposable = new ArrayDeque<>();
    private final List<MemoryRegion> all = new ArrayList<>();
    private final int localEnd;
    private final int receiveEnd;
    private int deregisteredStart;
    /** Content of the deregistered region, or null. */
    private byte[] deregistered;

    ApplicationMemory(ApplicationSettings settings, SeededRandom random, DirectMemoryPool memoryPool, ProtectionDomain domain,
        ProtectionDomain otherDomain) {
        targetBytes = Math.max(1024, settings.maxMessage + random.between(0, settings.maxMessage) + 7 & ~7);
        targetStart = GUARD_BYTES;
        localStart = targetStart + targetBytes + GUARD_BYTES;
        localEnd = localStart + settings.sendDepth * settings.localSlotBytes();
        receiveStart = localEnd + GUARD_BYTES;
        receiveEnd = receiveStart + settings.receiveDepth * settings.receiveSlotBytes();
        memory = memoryPool.allocate(receiveEnd + GUARD_BYTES);
        int remote = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
            | AccessFlags.FLUSH_GLOBAL | AccessFlags.MW_BIND | (settings.placementShare > 0 ? AccessFlags.FLUSH_PERSISTENT : 0);
        target = targetRegion(domain, random, remote);
        local = keep(domain.register(AccessFlags.LOCAL_WRITE, base(random), memory.slice(localStart, localEnd - localStart)));
        receives = keep(domain.register(AccessFlags.LOCAL_WRITE, base(random), memory.slice(receiveStart, receiveEnd - receiveStart)));
        closed = keep(domain.register(AccessFlags.LOCAL_WRITE, target.address(), memory.slice(targetStart, targetBytes)));
        foreign = keep(otherDomain.register(remote, target.address(), memory.slice(targetStart, targetBytes)));
        for (int i = random.between(0, 4); i > 0; i--) {
            disposable.add(keep(domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_INVALIDATE, base(random),
                memory.slice(targetStart, targetBytes))));
        }
    }

    private MemoryRegion targetRegion(ProtectionDomain domain, SeededRandom random, int access) {
        if (random.chance(0.5)) {
            return keep(domain.register(access, base(random), memory.slice(targetStart, targetBytes)));
        }
        int cut = random.between(1, targetBytes / 8 - 1) * 8;
        return keep(domain.register(access, base(random), memory.slice(targetStart, cut),
            memory.slice(targetStart + cut, targetBytes - cut)));
    }

    private MemoryRegion keep(MemoryRegion region) {
        all.add(region);
        return region;
    }

    private static long base(SeededRandom random) {
        return random.chance(0.1) ? 0 : random.chance(0.1) ? -(1L << 24) : random.longBits() & 0x0000_7fff_ffff_fff8L;
    }

    /** The memory of the target region. */
    ByteBuffer targetMemory() {
        return memory.slice(targetStart, targetBytes);
    }

    void deregisterTarget() {
        deregister(target, targetStart, targetBytes);
    }

    void deregisterLocal() {
        deregister(local, localStart, localEnd - localStart);
    }

    void deregisterReceives() {
        deregister(receives, receiveStart, receiveEnd - receiveStart);
    }

    private void deregister(MemoryRegion region, int start, int bytes) {
        region.close();
        deregisteredStart = start;
        deregistered = new byte[bytes];
        memory.get(start, deregistered);
    }

    boolean isDeregistered() {
        return deregistered != null;
    }

    /** The NIC must not have written to memory that was deregistered. */
    void checkDeregistered() {
        if (deregistered == null) {
            return;
        }
        int changed = ByteBuffer.wrap(deregistered).mismatch(memory.slice(deregisteredStart, deregistered.length));
        if (changed >= 0) {
            throw new SimulationFailure("byte " + changed + " of a region was written after the region was deregistered");
        }
    }

    /** Fills a slot with {@link ElementLayout#UNTOUCHED}. */
    void clear(int slot, int bytes) {
        for (int i = 0; i < bytes; i += Long.BYTES) {
            memory.putLong(slot + i, 0xa5a5a5a5a5a5a5a5L);
        }
    }

    void checkGuards() {
        checkGuard(0);
        checkGuard(targetStart + targetBytes);
        checkGuard(localEnd);
        checkGuard(receiveEnd);
    }

    private void checkGuard(int from) {
        for (int i = from; i < from + GUARD_BYTES; i++) {
            if (memory.get(i) != ElementLayout.UNTOUCHED) {
                throw new SimulationFailure("byte " + i + " outside every region was written");
            }
        }
    }

    void close() {
        all.forEach(MemoryRegion::close);
    }
}
