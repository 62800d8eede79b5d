package io.rxe.device;

import io.rxe.memory.KeySlot;
import io.rxe.memory.KeyTable;
import io.rxe.memory.Region;
import io.rxe.memory.ScatterGatherList;
import io.rxe.verbs.AccessFlags;

/**
 * Refuses requests whose memory regions cannot be used, when they are posted. A region can still be closed between the post and the
 * execution, so the state machines check again (rules Q2, R11). Any thread.
 */
final class RegionCheck {
    private final KeyTable keys;
    private final int domain;
    /**
     * What the last request named: mostly the next names it too. Threads may overwrite each other's; any value is right. Keeps no memory,
     * because the slot of a closed region has none.
     */
    private KeySlot last;

    /** @param domain number of the protection domain of the queue. */
    RegionCheck(KeyTable keys, int domain) {
        this.keys = keys;
        this.domain = domain;
    }

    /**
     * Checks the elements that were added with their region. Those added by key complete with an error if they are wrong, as in libibverbs.
     *
     * @param needed access bits of {@link AccessFlags}.
     * @param use    the operation, for the message.
     * @throws IllegalArgumentException naming element, offset, length and region.
     */
    void check(ScatterGatherList list, int needed, Object use) {
        for (int i = 0; i < list.count(); i++) {
            if (list.isOfRegion(i)) {
                KeySlot seen = last;
                if (seen == null || !isGranted(seen.current(), list.key(i), needed)) {
                    checkElement(list, i, needed, use);
                }
            }
        }
    }

    private boolean isGranted(Region region, int key, int needed) {
        return region.key() == key && region.domain() == domain && region.grants(needed) && !region.isRevoked();
    }

    private void checkElement(ScatterGatherList list, int index, int needed, Object use) {
        KeySlot slot = keys.slot(list.key(index));
        if (slot != null && slot.type() == KeySlot.Type.ALLOCATED_REGION) {
            // A request before this one may register the memory.
            return;
        }
        if (slot == null || !isGranted(slot.current(), list.key(index), needed)) {
            throw new IllegalArgumentException(refusal(list, index, keys.find(list.key(index)), use));
        }
        last = slot;
    }

    private String refusal(ScatterGatherList list, int index, Region region, Object use) {
        String element = "element " + index + " of this " + use + " (" + list.length(index) + " bytes at ";
        String name = "memory region 0x" + Integer.toHexString(list.key(index));
        if (region == null) {
            return element + "address 0x" + Long.toHexString(list.address(index)) + "): this NIC has no " + name + "; it was closed, or its"
                + " key was invalidated by the peer, or it belongs to another NIC: register the memory again";
        }
        element += "offset " + (list.address(index) - region.baseAddress()) + "): " + name + " of " + region.length() + " bytes ";
        if (region.domain() != domain) {
            return element + "belongs to protection domain " + region.domain() + " and the queue to protection domain " + domain
                + ": register the memory there";
        }
        return element + "would be written, and its access flags are " + AccessFlags.describe(region.access()) + ": add LOCAL_WRITE";
    }
}
