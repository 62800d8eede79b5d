package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.Mr;
import io.rxe.ibverbs.Layout.Mw;
import io.rxe.ibverbs.Layout.MwBindInfo;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import org.agrona.UnsafeApi;

/**
 * The memory windows of the program. Requests name windows and regions by their keys, as those of adapters do: the handles are only where
 * to look first. Any thread reads; the lock of {@link Verbs} guards adding and removing.
 */
final class Windows {
    private final Handles<ProgramRegion> regions;
    private final Handles<ProgramResource<MemoryWindow>> windows;

    Windows(Handles<ProgramRegion> regions, int nic) {
        this.regions = regions;
        this.windows = new Handles<>("memory window", nic);
    }

    Handles<ProgramResource<MemoryWindow>> handles() {
        return windows;
    }

    /** Returns the window of an {@code ibv_mw}. */
    MemoryWindow at(long mw) {
        if (mw == 0) {
            throw VerbFailure.of(VerbError.EINVAL, "a binding without a memory window: set bind_mw.mw");
        }
        int key = UnsafeApi.getInt(mw + Mw.RKEY);
        return windows.get(UnsafeApi.getInt(mw + Mw.HANDLE), window -> MemoryRegion.isSameIndex(window.object().rKey(), key)).object();
    }

    /** Writes the key of the latest binding posted into an {@code ibv_mw}. */
    void writeKey(long mw) {
        UnsafeApi.putInt(mw + Mw.RKEY, at(mw).rKey());
    }

    /**
     * Writes the key of the binding just posted into an {@code ibv_mw}, if the program asked for one of another index: else it knows the
     * key, and may count from the one before, as pyverbs does.
     */
    void writeKey(long mw, int asked) {
        if (!MemoryRegion.isSameIndex(asked, at(mw).rKey())) {
            writeKey(mw);
        }
    }

    /** Reads {@code ibv_mw_bind_info}. Rights that only the NIC itself can use are left out, as by rdma_rxe. */
    MemoryBinding readBinding(long info) {
        long mr = UnsafeApi.getLong(info + MwBindInfo.MR);
        if (mr == 0) {
            return MemoryBinding.NONE;
        }
        int key = UnsafeApi.getInt(mr + Mr.LKEY);
        ProgramRegion region = regions.get(UnsafeApi.getInt(mr + Mr.HANDLE), other -> other.object().lKey() == key);
        return new MemoryBinding(region.object(), UnsafeApi.getLong(info + MwBindInfo.ADDR), UnsafeApi.getLong(info + MwBindInfo.LENGTH),
            UnsafeApi.getInt(info + MwBindInfo.MW_ACCESS_FLAGS) & ~(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND));
    }
}
