package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.qp.context.XrcReceiveQueues;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.XrcDomain;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An XRC domain. Its XRC_RECV queue pairs have a protection domain without memory, a completion queue and a shared receive queue that
 * nobody posts to: they stand for what a queue pair has between two requests, each of which names a queue of the XRC domain.
 */
final class NicXrcDomain implements XrcDomain {
    private static final int IDLE_CAPACITY = 1;

    private final Nic nic;
    private final int engineIndex;
    private final NicProtectionDomain idleDomain;
    private final NicCompletionQueue idleCompletions;
    private final NicSharedReceiveQueue idleReceives;
    /** Owned by the engine thread. */
    private final XrcReceiveQueues queues = new XrcReceiveQueues();
    private final Set<NicXrcReceiveQueue> members = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private NicXrcDomain(Nic nic, NicProtectionDomain domain, NicCompletionQueue completions, NicSharedReceiveQueue receives) {
        this.nic = nic;
        idleDomain = domain;
        idleCompletions = completions;
        idleReceives = receives;
        engineIndex = receives.engineIndex();
    }

    /** Opens one; what is made on the way is closed if that fails. */
    static NicXrcDomain open(Nic nic) {
        NicProtectionDomain domain = nic.newProtectionDomain();
        NicCompletionQueue completions = null;
        try {
            completions = nic.newCompletionQueue(IDLE_CAPACITY, null, false);
            return new NicXrcDomain(nic, domain, completions, domain.newSharedReceiveQueue(IDLE_CAPACITY, 1));
        } catch (Throwable e) {
            if (completions != null) {
                completions.shut();
            }
            domain.shut();
            throw e;
        }
    }

    int engineIndex() {
        return engineIndex;
    }

    Engine engine() {
        return nic.engine(engineIndex);
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    /** Engine thread. */
    XrcReceiveQueues queues() {
        return queues;
    }

    @Override
    public QueuePair createQueuePair(Object attachment) {
        checkOpen();
        return idleDomain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_RECV, idleCompletions, idleCompletions).withRequests(1, 1)
            .withSharedReceiveQueue(idleReceives).withAttachment(attachment), queues);
    }

    /** Creates a queue; the caller has checked the protection domain. */
    NicXrcReceiveQueue createQueue(NicProtectionDomain domain, NicCompletionQueue completions, EventQueue events, int minimumCapacity,
                                   int maxElements) {
        checkOpen();
        if (completions.isClosed()) {
            throw new IllegalStateException("the " + completions.name() + " of the new shared receive queue is closed: create another");
        }
        int number = nic.drawXrcNumber();
        NicXrcReceiveQueue queue = null;
        try {
            queue = new NicXrcReceiveQueue(nic, domain, this, completions, number, events, minimumCapacity, maxElements);
            members.add(queue);
            engine().thread().call(queue::enter);
        } catch (Throwable e) {
            if (queue == null || members.remove(queue)) {
                nic.releaseXrcNumber(number);
            }
            throw e;
        }
        if (closed) {
            // By another thread, which may not have seen it.
            queue.shut();
            checkOpen();
        }
        return queue;
    }

    /** Command: a queue was closed. */
    void forget(NicXrcReceiveQueue queue) {
        if (members.remove(queue)) {
            queues.remove(queue.number());
            nic.releaseXrcNumber(queue.number());
        }
    }

    private void checkOpen() {
        nic.state().check();
        if (closed) {
            throw new IllegalStateException("the XRC domain is closed: open another");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            nic.state().checkFree(Verb.CLOSE_XRCD);
        }
        closed = true;
        CloseEach.step(
            idleDomain::shut,
            () -> CloseEach.of(members, NicXrcReceiveQueue::shut),
            idleCompletions::shut);
    }

    @Override
    public String toString() {
        return "XRC domain of NIC " + nic.gid() + ": " + members.size() + " shared receive queues" + (closed ? ", closed" : "");
    }
}
