package io.rxe.ibverbs;

import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.Mw;
import io.rxe.ibverbs.Layout.MwBind;
import io.rxe.ibverbs.Layout.SrqAttr;
import io.rxe.net.RxeNic;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import org.agrona.UnsafeApi;

/** The control verbs beyond those of {@link Verbs}: re-registration, memory windows, XRC. Any thread; under the same lock. */
final class ExtendedVerbs {
    private static final int CHANGE_TRANSLATION = 1;
    private static final int CHANGE_PD = 1 << 1;
    private static final int CHANGE_ACCESS = 1 << 2;

    private final RxeNic nic;
    private final Device device;
    private final Verbs verbs;
    private final MemoryAdvice advice;
    private final Handles<ProgramResource<XrcDomain>> xrcDomains;

    /** @param number of the NIC in the program. */
    ExtendedVerbs(int number, RxeNic nic, Verbs verbs) {
        this.xrcDomains = new Handles<>("XRC domain", number);
        this.advice = new MemoryAdvice(verbs);
        this.nic = nic;
        this.device = nic.device();
        this.verbs = verbs;
    }

    /** Makes another view of a protection domain, which objects can be made with instead. */
    int allocateParentDomain(int domain) {
        synchronized (verbs) {
            return verbs.addParentOf(verbs.domains().get(domain), () -> nic.faults().onCall(Verb.DEALLOC_PD, 0));
        }
    }

    /**
     * Changes a region under the same keys.
     *
     * @param flags       {@code ibv_rereg_mr_flags}; what they do not name is ignored.
     * @param lengthBytes of the new memory.
     * @param access      {@code ibv_access_flags}.
     */
    void reregister(int handle, int flags, int domain, long address, long lengthBytes, int access) {
        synchronized (verbs) {
            ProgramRegion region = verbs.regions().get(handle);
            RegionChange change = RegionChange.none();
            ProgramMemory memory = (flags & CHANGE_TRANSLATION) == 0 ? null
                : ProgramMemory.of(address, lengthBytes, address, 0, verbs.faults());
            if ((flags & CHANGE_ACCESS) != 0) {
                change = change.access(ProgramMemory.access(access));
            }
            if (memory != null) {
                change = change.memory(memory.baseAddress(), memory.memory());
            }
            ProgramResource<ProtectionDomain> newDomain = (flags & CHANGE_PD) == 0 ? null : verbs.domains().get(domain);
            if (newDomain != null) {
                change = change.domain(newDomain.object());
            }
            region.object().reregister(change);
            if (newDomain != null) {
                region.moveTo(newDomain);
            }
            if (memory != null) {
                region.memory(memory);
            }
            if ((flags & CHANGE_ACCESS) != 0) {
                region.onDemand(ProgramMemory.isOnDemand(access));
            }
        }
    }

    /** As {@link MemoryAdvice#advise}. */
    void advise(int domain, int kind, int flags, long list, int count) {
        advice.advise(domain, kind, flags, list, count);
    }

    /**
     * Changes the capacity of a completion queue. Whether its completions fit in is decided after the engine had a round for each request
     * posted before: a kernel that runs requests while they are posted would have their completions, too.
     *
     * @param cq {@code ibv_cq}, which gets the new capacity.
     */
    void resizeCompletionQueue(int handle, int capacity, long cq) {
        synchronized (verbs) {
            ProgramCompletionQueue queue = verbs.completionQueues().get(handle);
            verbs.queuePairs().forEach(queuePair -> {
                if (queuePair.completesTo(queue)) {
                    awaitRound(queuePair);
                    awaitRound(queuePair);
                }
            });
            queue.resize(capacity, cq);
        }
    }

    /** Returns at the end of a round of the engine: one that this thread drives, or another thread's, which may have begun before. */
    private void awaitRound(ProgramQueuePair queuePair) {
        nic.progress();
        queuePair.object().query();
    }

    /**
     * Allocates a memory window.
     *
     * @param type {@code ibv_mw_type}.
     * @param mw   {@code ibv_mw}, which gets the key.
     */
    int allocateWindow(int domain, int type, long mw) {
        if (type != 1 && type != 2) {
            throw VerbFailure.of(VerbError.EINVAL, "memory window type " + type + " does not exist: use IBV_MW_TYPE_1 or IBV_MW_TYPE_2");
        }
        synchronized (verbs) {
            ProgramResource<ProtectionDomain> owner = verbs.domains().get(domain);
            MemoryWindowType asked = type == 1 ? MemoryWindowType.TYPE_1 : MemoryWindowType.TYPE_2;
            return verbs.make(verbs.windows().handles(), () -> owner.object().allocateWindow(asked), window -> {
                UnsafeApi.putInt(mw + Mw.RKEY, window.rKey());
                return new ProgramResource<>(window, owner);
            }, 0);
        }
    }

    /**
     * Binds a window of type 1.
     *
     * @param mw   {@code ibv_mw}, which gets the new key.
     * @param bind {@code ibv_mw_bind}.
     */
    void bindWindow(int queuePair, long mw, long bind) {
        MemoryWindow window = verbs.windows().at(mw);
        int flags = UnsafeApi.getInt(bind + MwBind.SEND_FLAGS);
        WorkRequest request = new WorkRequest().bindWindow(window, verbs.windows().readBinding(bind + MwBind.BIND_INFO))
            .id(UnsafeApi.getLong(bind + MwBind.WR_ID)).signaled((flags & Sends.SIGNALED) != 0).fence((flags & Sends.FENCE) != 0);
        if (!verbs.queuePairs().get(queuePair).object().bindWindow(request)) {
            throw VerbFailure.of(VerbError.ENOMEM, "the send queue is full: poll its completions");
        }
        verbs.windows().writeKey(mw);
    }

    int openXrcDomain() {
        synchronized (verbs) {
            return verbs.make(xrcDomains, device::openXrcDomain, ProgramResource::new, 0);
        }
    }

    void closeXrcDomain(int handle) throws Exception {
        verbs.destroy(xrcDomains, handle);
    }

    /**
     * Creates an XRC shared receive queue.
     *
     * @param attr {@code ibv_srq_attr}, which gets the capacity granted.
     * @param srq  {@code ibv_srq}, for events.
     */
    int createSharedReceiveQueue(int domain, int xrcDomain, int completionQueue, long attr, long srq) {
        synchronized (verbs) {
            ProgramResource<ProtectionDomain> owner = verbs.domains().get(domain);
            ProgramResource<XrcDomain> group = xrcDomains.get(xrcDomain);
            ProgramCompletionQueue completions = verbs.completionQueues().get(completionQueue);
            return verbs.makeSharedReceiveQueue(elements -> owner.object().createSharedReceiveQueue(group.object(), completions.object(),
                UnsafeApi.getInt(attr + SrqAttr.MAX_WR), elements), attr, srq, owner, group, completions);
        }
    }

    /** @param qp {@code ibv_qp}, which gets the number. */
    int createXrcReceiver(int xrcDomain, long qp) {
        synchronized (verbs) {
            ProgramResource<XrcDomain> group = xrcDomains.get(xrcDomain);
            return verbs.makeQueuePair(() -> group.object().createQueuePair(),
                queuePair -> new ProgramQueuePair(queuePair, null, device.udpPort(), group), qp);
        }
    }
}
