package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.AhAttr;
import io.rxe.ibverbs.Layout.Cq;
import io.rxe.ibverbs.Layout.Mr;
import io.rxe.ibverbs.Layout.Qp;
import io.rxe.ibverbs.Layout.QpInitAttr;
import io.rxe.ibverbs.Layout.SrqAttr;
import io.rxe.ibverbs.Layout.Wc;
import io.rxe.net.NicEvents;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.Device;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.SharedReceiveQueue;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.agrona.UnsafeApi;

/**
 * The objects of the program and the control verbs on them. Any thread; one control verb at a time. Every verb throws where it fails, and
 * {@link Errno} has the number.
 */
final class Verbs {
    private static final int WC_GRH = 1;
    private static final int FULL_HOP_LIMIT = 255;
    /** As in {@code rxe.h}: the handle of what is destroyed. */
    private static final int DESTROYED = -1;

    private final Device device;
    private final AsyncEvents events;
    private final Handles<ProgramResource<ProtectionDomain>> domains;
    private final Handles<ProgramRegion> regions;
    private final Handles<ProgramCompletionQueue> completionQueues;
    private final Handles<ProgramQueuePair> queuePairs;
    private final Handles<ProgramSharedReceiveQueue> sharedQueues;
    private final Handles<ProgramAddressHandle> addressHandles;
    private final Windows windows;
    private final ProgramFaults faults = new ProgramFaults();

    /** @param nic number of the NIC in the program. */
    Verbs(int nic, Device device, NicEvents nicEvents) {
        this.device = device;
        this.events = new AsyncEvents(nic, nicEvents);
        this.domains = new Handles<>("protection domain", nic);
        this.regions = new Handles<>("memory region", nic);
        this.completionQueues = new Handles<>("completion queue", nic);
        this.queuePairs = new Handles<>("queue pair", nic);
        this.sharedQueues = new Handles<>("shared receive queue", nic);
        this.addressHandles = new Handles<>("address handle", nic);
        this.windows = new Windows(regions, nic);
        events.start();
    }

    Handles<ProgramResource<ProtectionDomain>> domains() {
        return domains;
    }

    Handles<ProgramRegion> regions() {
        return regions;
    }

    ProgramFaults faults() {
        return faults;
    }

    Windows windows() {
        return windows;
    }

    Handles<ProgramQueuePair> queuePairs() {
        return queuePairs;
    }

    Handles<ProgramCompletionQueue> completionQueues() {
        return completionQueues;
    }

    Handles<ProgramSharedReceiveQueue> sharedQueues() {
        return sharedQueues;
    }

    Handles<ProgramAddressHandle> addressHandles() {
        return addressHandles;
    }

    synchronized int allocateDomain() {
        return make(domains, device::allocateProtectionDomain, ProgramResource::new, 0);
    }

    /**
     * Adds another view of a domain, under the lock of this object.
     *
     * @param onFree throws where a fault refuses to free it.
     */
    int addParentOf(ProgramResource<ProtectionDomain> domain, Runnable onFree) {
        ParentDomain parent = new ParentDomain(domain, onFree);
        int handle = domains.add(parent);
        parent.claim();
        return handle;
    }

    /** The domain itself is its owner's. */
    private static final class ParentDomain extends ProgramResource<ProtectionDomain> {
        private final Runnable onFree;

        ParentDomain(ProgramResource<ProtectionDomain> domain, Runnable onFree) {
            super(domain.object(), domain);
            this.onFree = onFree;
        }

        @Override
        void close() {
            onFree.run();
            release();
        }
    }

    /**
     * Makes an object of the program, as {@link ProgramResource#make}. Under the lock of this object.
     *
     * @param address of the structure that gets the events of the object; 0 for an object without.
     */
    <T extends AutoCloseable, R extends ProgramResource<T>> int make(Handles<R> handles, Supplier<T> maker, Function<T, R> wrapper,
            long address) {
        return ProgramResource.make(handles, maker, object -> {
            if (address != 0) {
                events.add(object, address);
            }
            return wrapper.apply(object);
        }, events::remove);
    }

    /** As {@link #make}: a queue pair, and its number for {@code ibv_qp}. */
    int makeQueuePair(Supplier<QueuePair> maker, Function<QueuePair, ProgramQueuePair> wrapper, long qp) {
        return make(queuePairs, maker, queuePair -> {
            UnsafeApi.putInt(qp + Qp.QP_NUM, queuePair.number());
            return wrapper.apply(queuePair);
        }, qp);
    }

    /** As {@link #make}: a shared receive queue, and the capacity granted for {@code ibv_srq_attr}. */
    int makeSharedReceiveQueue(IntFunction<SharedReceiveQueue> maker, long attr, long srq, ProgramResource<?>... needs) {
        int elements = Math.max(1, UnsafeApi.getInt(attr + SrqAttr.MAX_SGE));
        return make(sharedQueues, () -> maker.apply(elements), queue -> {
            UnsafeApi.putInt(attr + SrqAttr.MAX_WR, queue.capacity());
            UnsafeApi.putInt(attr + SrqAttr.MAX_SGE, elements);
            return new ProgramSharedReceiveQueue(queue, elements, needs);
        }, srq);
    }

    /** Closes an object that no other needs; then no event of it is reported. */
    synchronized <T extends ProgramResource<?>> void destroy(Handles<T> handles, int handle) throws Exception {
        Object object = handles.get(handle).object();
        ProgramResource.destroy(handles, handle);
        events.remove(object);
    }

    /**
     * Destroys the queue pairs that the program has left in a context which it closes, as the kernel does: they would go on to receive
     * into its memory. No other object does anything without them. Their structures stay, and are of no queue pair any more.
     *
     * @param context {@code ibv_context}.
     */
    synchronized void destroyQueuePairs(long context) {
        queuePairs.forEach(left -> {
            long qp = events.address(left.object());
            if (UnsafeApi.getLong(qp + Qp.CONTEXT) != context) {
                return;
            }
            left.forgetGroups();
            if (Upcalls.free(() -> destroy(queuePairs, UnsafeApi.getInt(qp + Qp.HANDLE))) == 0) {
                UnsafeApi.putInt(qp + Qp.HANDLE, DESTROYED);
            }
        });
    }

    /** @param mr {@code ibv_mr}, which gets the keys. */
    synchronized int register(int domain, ProgramMemory memory, long mr) {
        ProgramResource<ProtectionDomain> owner = domains.get(domain);
        return make(regions, () -> owner.object().register(memory.access(), memory.baseAddress(), memory.memory()), region -> {
            UnsafeApi.putInt(mr + Mr.LKEY, region.lKey());
            UnsafeApi.putInt(mr + Mr.RKEY, region.rKey());
            return new ProgramRegion(region, owner, memory);
        }, 0);
    }

    /**
     * Creates a completion queue.
     *
     * @param cq         {@code ibv_cq}, which gets the capacity, and the completions if it has a channel.
     * @param timestamps where the timestamps of a completion are written, 0 for a queue without them.
     * @param parent     the parent domain that the program made it with, 0 for none.
     */
    synchronized int createCompletionQueue(int capacity, long cq, boolean hasChannel, long timestamps, int parent) {
        ProgramResource<?>[] needs = parent == 0 ? new ProgramResource<?>[0] : new ProgramResource<?>[] {domains.get(parent)};
        ProgramCompletionQueue.Listener listener = hasChannel ? new ProgramCompletionQueue.Listener(cq) : null;
        // One more, as the libraries of adapters have: programs rely on it that ask for one entry and let two completions wait.
        int roomy = Math.max(capacity, Math.min(capacity + 1, device.attributes().maxCompletions()));
        return make(completionQueues, () -> device.createCompletionQueue(roomy, hasChannel ? listener.channel() : null, timestamps != 0),
            queue -> {
                UnsafeApi.putInt(cq + Cq.CQE, queue.capacity());
                return new ProgramCompletionQueue(queue, listener, timestamps, device.gid().isIpv4(), needs);
            }, cq);
    }

    /** @param qp {@code ibv_qp}, which gets the number. */
    synchronized int createQueuePair(int domain, int sendCq, int receiveCq, int sharedQueue, long attr, long qp) {
        ProgramResource<ProtectionDomain> owner = domains.get(domain);
        ProgramCompletionQueue sends = completionQueues.get(sendCq);
        ProgramCompletionQueue receives = completionQueues.get(receiveCq);
        ProgramSharedReceiveQueue shared = sharedQueue == 0 ? null : sharedQueues.get(sharedQueue);
        QueuePairConfig config = ProgramQueuePair.readConfig(attr, sends.object(), receives.object(),
            shared == null ? null : shared.object());
        return makeQueuePair(() -> owner.object().createQueuePair(config), queuePair -> {
            ProgramQueuePair.writeCapacities(queuePair.capabilities(), attr + QpInitAttr.CAP);
            Sends posts = new Sends(queuePair, config.maxInlineBytes(), addressHandles, windows, faults);
            return shared == null ? new ProgramQueuePair(queuePair, posts, device.udpPort(), owner, sends, receives)
                : new ProgramQueuePair(queuePair, posts, device.udpPort(), owner, sends, receives, shared);
        }, qp);
    }

    /** @param attr {@code ibv_srq_attr}, which gets the capacity granted. */
    synchronized int createSharedReceiveQueue(int domain, long attr, long srq) {
        ProgramResource<ProtectionDomain> owner = domains.get(domain);
        int capacity = UnsafeApi.getInt(attr + SrqAttr.MAX_WR);
        return makeSharedReceiveQueue(elements -> owner.object().createSharedReceiveQueue(capacity, elements), attr, srq, owner);
    }

    /** @param attr {@code ibv_ah_attr}. */
    synchronized int createAddressHandle(int domain, long attr) {
        AddressVector vector = AhAttributes.read(attr, device.udpPort());
        ProgramResource<ProtectionDomain> owner = domains.get(domain);
        ProgramAddressHandle created = new ProgramAddressHandle(owner.object().createAddressHandle(vector), owner);
        int handle = addressHandles.add(created);
        created.claim();
        return handle;
    }

    /**
     * Writes the address of a datagram's sender.
     *
     * @param wc  {@code ibv_wc} of the datagram.
     * @param grh the first 40 bytes of its receive buffer.
     */
    static void initAddress(long wc, long grh, long attr) {
        if ((UnsafeApi.getInt(wc + Wc.WC_FLAGS) & WC_GRH) == 0) {
            throw VerbFailure.of(VerbError.EINVAL, "the completion has no GRH: only a received datagram has one");
        }
        AddressVector sender = AddressVector.ofSender(Downcalls.buffer(grh, 40));
        AhAttributes.write(sender, 0, UnsafeApi.getByte(wc + Wc.SL), attr);
        UnsafeApi.putByte(attr + AhAttr.HOP_LIMIT, (byte) FULL_HOP_LIMIT);
    }
}
