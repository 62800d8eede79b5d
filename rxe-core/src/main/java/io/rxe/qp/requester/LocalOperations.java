package io.rxe.qp.requester;

import io.rxe.counters.NicCounter;
import io.rxe.memory.KeySlot;
import io.rxe.memory.Region;
import io.rxe.qp.context.GracePeriods;
import io.rxe.qp.context.Invalidation;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.LocalRequest;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;

/**
 * Runs the requests that change a key and send no packet: BIND_MW, LOCAL_INV and REG_MR (rules W1 to W6).
 *
 * <p>They run when their turn comes in the send queue, so requests behind them see what they changed. A LOCAL_INV of a region also waits
 * until no other engine is in the middle of an access. Owned by the engine thread. rxe: rxe_do_local_ops.
 */
final class LocalOperations {
    private static final int WRITES = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

    private final QueuePairContext context;
    private final GracePeriods gracePeriods;

    LocalOperations(QueuePairContext context, GracePeriods gracePeriods) {
        this.context = context;
        this.gracePeriods = gracePeriods;
    }

    /** Runs a request, or goes on with one that waited. Returns whether it has to wait for other engines. */
    boolean run(SendWqe wqe) {
        if (wqe.local().gracePeriod() != 0) {
            return !gracePeriods.isOver(wqe.local().gracePeriod());
        }
        LocalRequest request = wqe.local();
        String refusal = switch (wqe.operation()) {
            case BIND_MW -> bind(request);
            case REG_MR -> register(request);
            default -> invalidate(request);
        };
        if (refusal != null) {
            boolean isBinding = wqe.operation() == Operation.BIND_MW;
            wqe.fail(isBinding ? CompletionStatus.MW_BIND_ERR : CompletionStatus.LOC_QP_OP_ERR, wqe.operation() + " of key 0x"
                + Integer.toHexString(request.key()) + ": " + refusal);
            return false;
        }
        return request.gracePeriod() != 0 && !gracePeriods.isOver(request.gracePeriod());
    }

    /** Rules W1, W3. rxe: rxe_bind_mw. */
    private String bind(LocalRequest request) {
        KeySlot window = request.slot();
        Region before = window.current();
        if (before.domain() != context.domain()) {
            return "the window was closed, or belongs to another protection domain than the queue pair";
        }
        if (window.type() == KeySlot.Type.WINDOW_TYPE_2 && !before.isRevoked()) {
            return "the window is bound, and one of type 2 has to be free: invalidate its key 0x" + Integer.toHexString(before.key())
                + " first";
        }
        if (request.lengthBytes() == 0 && window.type() == KeySlot.Type.WINDOW_TYPE_2) {
            return "a binding of 0 bytes unbinds a window of type 1 only: post a LOCAL_INV of its key";
        }
        if (request.lengthBytes() == 0) {
            return put(window, before, Region.free(request.key(), before.domain())) ? null : "the window was closed";
        }
        KeySlot slot = request.boundTo();
        if (!slot.hold()) {
            return "the region is closed or changing";
        }
        boolean isBound = false;
        try {
            Region region = slot.current();
            String refusal = refusal(request, region);
            if (refusal != null) {
                return refusal;
            }
            isBound = put(window, before, window(request, region));
            return isBound ? null : "the window was closed, or another queue pair bound it in the same instant";
        } finally {
            // Also where memory ends.
            if (!isBound) {
                slot.release();
            }
        }
    }

    private Region window(LocalRequest request, Region region) {
        Object user = request.slot().type() == KeySlot.Type.WINDOW_TYPE_2 ? context : null;
        return region.window(request.boundTo(), request.key(), request.access() & ~AccessFlags.ZERO_BASED, request.address(),
            request.lengthBytes(), (request.access() & AccessFlags.ZERO_BASED) != 0, user);
    }

    private boolean put(KeySlot window, Region before, Region next) {
        boolean done = window.replace(before, next);
        if (done) {
            context.counters().count(NicCounter.WINDOWS_BOUND);
        }
        return done;
    }

    /** Rule W1. rxe: rxe_check_bind_mw. */
    private String refusal(LocalRequest request, Region region) {
        if (region.isRevoked() || region.key() != request.boundKey()) {
            return "the region was invalidated";
        }
        if (region.domain() != context.domain()) {
            return "the region belongs to another protection domain than the queue pair";
        }
        if (!region.grants(AccessFlags.MW_BIND)) {
            return "the region does not grant MW_BIND, but only " + AccessFlags.describe(region.access());
        }
        if ((request.access() & WRITES) != 0 && !region.grants(AccessFlags.LOCAL_WRITE)) {
            return "the region does not grant LOCAL_WRITE, which a window with " + AccessFlags.describe(request.access()) + " needs";
        }
        if ((request.access() & AccessFlags.FLUSH_PERSISTENT) != 0 && !region.grants(AccessFlags.FLUSH_PERSISTENT)) {
            return "the region does not grant FLUSH_PERSISTENT, which a window with that right needs";
        }
        if (!region.contains(request.address(), request.lengthBytes())) {
            return request.lengthBytes() + " bytes at 0x" + Long.toHexString(request.address()) + " are not in the region of "
                + region.length() + " bytes at 0x" + Long.toHexString(region.baseAddress());
        }
        boolean isZeroBased = (request.access() & AccessFlags.ZERO_BASED) != 0;
        boolean isAligned = region.memory().isAligned(region.baseAddress()) && (!isZeroBased || (request.address() & 7) == 0);
        return (request.access() & AccessFlags.REMOTE_ATOMIC) == 0 || isAligned ? null
            : "the memory of a window with REMOTE_ATOMIC has to be aligned to 8 bytes where its addresses are";
    }

    /** Rule W6. rxe: rxe_reg_fast_mr. */
    private String register(LocalRequest request) {
        KeySlot slot = request.slot();
        Region before = slot.current();
        if (before.domain() != context.domain()) {
            return "the region was closed, or belongs to another protection domain than the queue pair";
        }
        if (!before.isRevoked()) {
            return "the region is valid, and has to be free: invalidate its key 0x" + Integer.toHexString(before.key()) + " first";
        }
        Region next = new Region(request.key(), before.domain(), request.access(), request.address(), request.buffers());
        if (!slot.replace(before, next)) {
            return "the region was closed";
        }
        context.counters().count(NicCounter.REGIONS_REGISTERED);
        return null;
    }

    /** Rule W4. rxe: invalidate_rkey. */
    private String invalidate(LocalRequest request) {
        String refusal = Invalidation.refusal(context, request.key());
        if (refusal == null && !Invalidation.invalidate(context, request.key())) {
            refusal = "a window was bound to its region in this instant: invalidate it first";
        }
        if (refusal == null && !context.keys().slot(request.key()).isWindow()) {
            request.gracePeriod(gracePeriods.begin());
        }
        return refusal;
    }
}
