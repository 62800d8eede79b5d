package io.rxe.qp.context;

import io.rxe.counters.NicCounter;
import io.rxe.memory.KeySlot;
import io.rxe.memory.Region;
import io.rxe.verbs.AccessFlags;

/**
 * Ends what a key grants, for a LOCAL_INV of this queue pair or a SEND with invalidate of its peer (rules W4, W5). Stateless.
 *
 * <p>A key that is free already may be invalidated again. Engine thread.
 */
public final class Invalidation {
    private static final int REMOTE = AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC
        | AccessFlags.REMOTE_INVALIDATE;

    private Invalidation() {
    }

    /** Why a LOCAL_INV is refused; null when it is not. */
    public static String refusal(QueuePairContext context, int key) {
        KeySlot slot = context.keys().slot(key);
        if (slot != null && slot.type() == KeySlot.Type.REGION) {
            return "it belongs to a region that a verb registered: close the region, or use one of allocateRegion";
        }
        return refusal(context, slot, key);
    }

    /** Whether the peer may invalidate a key. */
    public static boolean isAllowedToPeer(QueuePairContext context, int key) {
        KeySlot slot = context.keys().slot(key);
        if (refusal(context, slot, key) != null) {
            return false;
        }
        Region region = slot.current();
        return switch (slot.type()) {
            case REGION -> !region.isRevoked() && region.grants(AccessFlags.REMOTE_INVALIDATE);
            case ALLOCATED_REGION -> region.isRevoked() || (region.access() & REMOTE) != 0;
            case WINDOW_TYPE_1, WINDOW_TYPE_2 -> true;
        };
    }

    private static String refusal(QueuePairContext context, KeySlot slot, int key) {
        Region region = slot == null ? null : slot.current();
        if (region == null || region.key() != key) {
            return "it is not in force: its window or region was closed, or has another key by now";
        }
        if (region.domain() != context.domain()) {
            return "it belongs to another protection domain";
        }
        if (slot.type() == KeySlot.Type.WINDOW_TYPE_1) {
            return "it belongs to a window of type 1: bind that again, or use type 2";
        }
        if (!region.serves(context)) {
            return "its window is bound to another queue pair: invalidate it there";
        }
        return slot.windows() == 0 ? null : slot.windows() + " windows are bound to its region: invalidate them first";
    }

    /** Ends what a key grants that was checked before; false when its region is changing, closed or has windows by now. */
    public static boolean invalidate(QueuePairContext context, int key) {
        KeySlot slot = context.keys().slot(key);
        Region region = slot == null ? null : slot.current();
        if (region == null || region.key() != key || region.isRevoked()) {
            return true;
        }
        // Before the change begins, which would never end where there is no memory for it.
        Region free = Region.free(key, region.domain());
        if (!slot.isWindow() && !slot.beginChange()) {
            return false;
        }
        slot.replace(region, free);
        if (!slot.isWindow()) {
            slot.endChange();
        }
        context.counters().count(NicCounter.KEYS_INVALIDATED);
        return true;
    }
}
