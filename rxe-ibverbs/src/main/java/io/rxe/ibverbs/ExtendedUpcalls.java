package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;

/** As {@link Upcalls}, for {@link ExtendedVerbs}. */
public final class ExtendedUpcalls {
    private ExtendedUpcalls() {
    }

    private static ExtendedVerbs verbs(int handle) {
        return Upcalls.nic(handle).extendedVerbs();
    }

    public static int allocParentPd(int pd) {
        return Upcalls.control(() -> verbs(pd).allocateParentDomain(pd));
    }

    public static int reregMr(int mr, int flags, int pd, long address, long lengthBytes, int access) {
        return Upcalls.step(() -> verbs(mr).reregister(mr, flags, pd, address, lengthBytes, access));
    }

    public static int adviseMr(int pd, int advice, int flags, long list, int count) {
        return Upcalls.step(() -> verbs(pd).advise(pd, advice, flags, list, count));
    }

    public static int allocMw(int pd, int type, long mw) {
        return Upcalls.control(() -> verbs(pd).allocateWindow(pd, type, mw));
    }

    public static int bindMw(int qp, long mw, long bind) {
        return Upcalls.step(() -> verbs(qp).bindWindow(qp, mw, bind));
    }

    public static int deallocMw(int mw) {
        return Upcalls.destroy(mw, verbs -> verbs.windows().handles());
    }

    public static int resizeCq(int handle, int capacity, long cq) {
        return Upcalls.step(() -> verbs(handle).resizeCompletionQueue(handle, capacity, cq));
    }

    /** @param nic number of the NIC. */
    public static int openXrcd(int nic) {
        return Upcalls.control(() -> Upcalls.numbered(nic).extendedVerbs().openXrcDomain());
    }

    public static int closeXrcd(int xrcd) {
        return Upcalls.free(() -> verbs(xrcd).closeXrcDomain(xrcd));
    }

    public static int createXrcSrq(int pd, int xrcd, int cq, long attr, long srq) {
        return Upcalls.control(() -> verbs(pd).createSharedReceiveQueue(pd, xrcd, cq, attr, srq));
    }

    /** Returns the number by which XRC requests name the queue. */
    public static int srqNumber(int srq) {
        return Upcalls.control(() -> {
            int number = Upcalls.verbs(srq).sharedQueues().get(srq).object().number();
            if (number == 0) {
                throw VerbFailure.of(VerbError.EINVAL, "the shared receive queue has no number: only one of an XRC domain has");
            }
            return number;
        });
    }

    public static int createXrcQp(int xrcd, long qp) {
        return Upcalls.control(() -> verbs(xrcd).createXrcReceiver(xrcd, qp));
    }
}
