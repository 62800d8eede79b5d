package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.Sge;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import org.agrona.UnsafeApi;

/**
 * {@code ibv_advise_mr}. No page is pinned and the NIC has no translations of its own, so that a prefetch brings pages into the memory of
 * this process. What is not there later is a fault that the request survives as any other.
 */
final class MemoryAdvice {
    private static final int PREFETCH_WRITE = 1;
    private static final int PREFETCH_NO_FAULT = 2;
    private static final int FLUSH = 1;

    private final Verbs verbs;

    MemoryAdvice(Verbs verbs) {
        this.verbs = verbs;
    }

    /**
     * Checks all elements first, each as ibv_advise_mr(3) has it.
     *
     * @param list address of {@code ibv_sge} structures.
     * @throws RuntimeException {@link VerbFailure} with the errno.
     */
    void advise(int domain, int advice, int flags, long list, int count) {
        if ((flags & ~FLUSH) != 0) {
            throw VerbFailure.of(VerbError.EINVAL, "flags 0x" + Integer.toHexString(flags) + ": only IBV_ADVISE_MR_FLAG_FLUSH is one");
        }
        if (advice < 0 || advice > PREFETCH_NO_FAULT) {
            throw VerbFailure.of(VerbError.EOPNOTSUPP, "advice " + advice + " is not supported: the three prefetches are");
        }
        if (count <= 0 || list == 0) {
            throw VerbFailure.of(VerbError.EINVAL, "advice for " + count + " elements: name at least one");
        }
        boolean writes = advice == PREFETCH_WRITE;
        long[] addresses = new long[count];
        synchronized (verbs) {
            ProtectionDomain asked = verbs.domains().get(domain).object();
            for (int i = 0; i < count; i++) {
                long sge = list + (long) i * Sge.SIZE;
                addresses[i] = region(UnsafeApi.getInt(sge + Sge.LKEY))
                    .locate(asked, UnsafeApi.getLong(sge + Sge.ADDR), Sends.lengthBytes(sge), writes);
            }
        }
        if (advice == PREFETCH_NO_FAULT) {
            return;
        }
        // Without the lock: the file system takes its time.
        for (int i = 0; i < count; i++) {
            long lengthBytes = Sends.lengthBytes(list + (long) i * Sge.SIZE);
            if (lengthBytes != 0 && ProgramFaults.prefetch(addresses[i], lengthBytes, writes, (flags & FLUSH) != 0) != 0) {
                throw VerbFailure.of(VerbError.EFAULT, lengthBytes + " bytes at 0x" + Long.toHexString(addresses[i])
                    + " are not mapped, or protected");
            }
        }
    }

    private ProgramRegion region(int key) {
        ProgramRegion region = verbs.regions().find(candidate -> MemoryRegion.isSameIndex(candidate.object().lKey(), key));
        if (region != null && region.object().lKey() == key) {
            return region;
        }
        String name = "key 0x" + Integer.toHexString(key);
        if (region != null) {
            throw VerbFailure.of(VerbError.ENOENT, name + " is an old or a wrong one of memory region 0x"
                + Integer.toHexString(region.object().lKey()));
        }
        if (verbs.windows().handles().find(window -> MemoryRegion.isSameIndex(window.object().rKey(), key)) != null) {
            throw VerbFailure.of(VerbError.EINVAL, name + " is that of a memory window");
        }
        throw VerbFailure.of(VerbError.EFAULT, "no memory region has " + name);
    }
}
