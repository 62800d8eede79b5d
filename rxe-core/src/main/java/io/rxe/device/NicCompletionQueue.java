package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.qp.context.CompletionRing;
import io.rxe.ring.Ring;
import io.rxe.ring.SharedEnd;
import io.rxe.ring.StackRoom;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A completion queue: one completion ring per engine, polled round robin. Any thread. */
class NicCompletionQueue implements CompletionQueue {
    private final Nic nic;
    private final NicProgress progress;
    private final CompletionRing[] rings;
    private final CompletionChannel channel;
    private final Set<NicQueuePair> users = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean detached = new AtomicBoolean();
    private volatile boolean woken;
    private final AtomicInteger armed = new AtomicInteger(CompletionRing.IDLE);
    private final AtomicBoolean overrun = new AtomicBoolean();
    private final SharedEnd pollers = new SharedEnd();
    private final Closing closing = new Closing();
    /** Whether no engine will add a completion any more: it is closed, or its device failed and everything was flushed. */
    private volatile boolean ended;
    /** The ring to poll first; owned by the thread that is in {@link #pollers}. */
    private int next;

    NicCompletionQueue(Nic nic, int minimumCapacity, CompletionChannel channel, boolean timestamps) {
        this.nic = nic;
        this.progress = nic.progress();
        this.channel = channel;
        this.rings = new CompletionRing[nic.engines()];
        for (int i = 0; i < rings.length; i++) {
            Engine engine = nic.engine(i);
            rings[i] = new CompletionRing(minimumCapacity, this, channel, armed, overrun, engine.pendingNotifications(),
                timestamps ? completion -> nic.clock().stamp(completion, engine.nowNs()) : null);
        }
        if (channel != null) {
            channel.attach(nic.progress()::isOnEngineThread, nic.driver());
        }
    }

    /** Makes a queue. Only a NIC with faults in polls loads the class that asks, so that the JIT compiler inlines all other polls. */
    static NicCompletionQueue of(Nic nic, int minimumCapacity, CompletionChannel channel, boolean timestamps) {
        checkCapacity(minimumCapacity);
        return nic.faults().concerns(Verb.POLL_CQ) || nic.faults().concerns(Verb.REQ_NOTIFY_CQ)
            ? new FaultyCompletionQueue(nic, minimumCapacity, channel, timestamps)
            : new NicCompletionQueue(nic, minimumCapacity, channel, timestamps);
    }

    /** The queue of a new queue pair or shared receive queue. */
    static NicCompletionQueue own(Nic nic, CompletionQueue queue) {
        if (queue instanceof NicCompletionQueue own && own.belongsTo(nic)) {
            return own;
        }
        throw new IllegalArgumentException("the completion queue belongs to another device: create it with this one");
    }

    private static void checkCapacity(int minimumCapacity) {
        if (minimumCapacity < 1 || minimumCapacity > Ring.MAX_CAPACITY) {
            throw new IllegalArgumentException("completion queue of " + minimumCapacity + " entries: use 1 to " + Ring.MAX_CAPACITY);
        }
    }

    /** The queue is closed or its device failed: no thread waits for it any more. To be repeated when it throws for want of memory. */
    void wakeWaiters() {
        if (channel == null || woken) {
            return;
        }
        if (detached.compareAndSet(false, true)) {
            channel.detach();
        }
        channel.wakeWaiters();
        woken = true;
    }

    /** Counts as having lost a completion; returns false if it did already. */
    boolean overrun() {
        return overrun.compareAndSet(false, true);
    }

    /** The device failed, and every request that was outstanding has its completion. */
    void end() {
        ended = true;
    }

    final CompletionRing ring(int engine) {
        return rings[engine];
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    /** The queue pairs that use it. */
    Set<NicQueuePair> users() {
        return users;
    }

    boolean isClosed() {
        return closing.isBegun();
    }

    @Override
    public int capacity() {
        return rings[0].capacity();
    }

    @Override
    public void resize(int minimumCapacity) {
        nic.state().check(Verb.RESIZE_CQ);
        checkOpen();
        checkCapacity(minimumCapacity);
        for (CompletionRing ring : rings) {
            int waiting = ring.size();
            if (waiting > minimumCapacity) {
                throw new IllegalArgumentException("completion queue of " + minimumCapacity + " entries: " + waiting
                    + " completions wait in it: poll them first, or use at least " + waiting);
            }
        }
        for (int i = 0; i < rings.length; i++) {
            CompletionRing ring = rings[i];
            nic.engine(i).thread().call(() -> ring.resize(minimumCapacity));
        }
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        Objects.requireNonNull(completions, "the array of completions is null: create one and fill it with completions");
        if (isEmpty() && !arrives()) {
            return 0;
        }
        pollers.enter();
        try {
            int filled = 0;
            for (int i = 0; i < rings.length && filled < completions.length; i++) {
                filled = rings[next].poll(completions, filled);
                next = next + 1 == rings.length ? 0 : next + 1;
            }
            return filled;
        } finally {
            pollers.leave();
        }
    }

    @Override
    public boolean poll(WorkCompletion completion) {
        Objects.requireNonNull(completion, "the completion is null: create one and reuse it");
        if (isEmpty() && !arrives()) {
            return false;
        }
        pollers.enter();
        try {
            for (int i = 0; i < rings.length; i++) {
                boolean found = rings[next].poll(completion);
                next = next + 1 == rings.length ? 0 : next + 1;
                if (found) {
                    return true;
                }
            }
            return false;
        } finally {
            pollers.leave();
        }
    }

    /**
     * Whether nothing waits, so that a thread that polls in vain hinders no other.
     *
     * @throws IllegalStateException when nothing will ever come.
     */
    private boolean isEmpty() {
        // Read first: what was flushed before the end is found.
        boolean isOver = ended;
        for (CompletionRing ring : rings) {
            if (ring.size() > 0) {
                return false;
            }
        }
        if (isOver) {
            throw closedException();
        }
        return true;
    }

    /** Nothing waits: lets this thread drive the engines, where the NIC was opened so, and returns whether something waits now. */
    private boolean arrives() {
        return progress.onEmptyPoll(armed.get() != CompletionRing.IDLE) && !isEmpty();
    }

    private void checkOpen() {
        if (closing.isBegun()) {
            throw closedException();
        }
    }

    private IllegalStateException closedException() {
        nic.state().check();
        return new IllegalStateException("the " + name() + " is closed: create another");
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        if (channel == null) {
            throw new IllegalStateException("this completion queue has no channel: create it with one");
        }
        checkOpen();
        int wanted = solicitedOnly ? CompletionRing.SOLICITED : CompletionRing.ANY;
        armed.accumulateAndGet(wanted, Math::max);
        VarHandle.fullFence();
        progress.onArmed();
    }

    @Override
    public boolean isOverrun() {
        return overrun.get();
    }

    @Override
    public void close() {
        StackRoom.require(CloseEach.FRAMES);
        if (!closing.isBegun()) {
            nic.state().checkFree(Verb.DESTROY_CQ);
        }
        shut();
    }

    /** Closes it, which nothing refuses. */
    final void shut() {
        closing.run(this::release);
    }

    private void release() {
        for (CompletionRing ring : rings) {
            ring.close();
        }
        ended = true;
        wakeWaiters();
        nic.completionQueues().remove(this);
        String name = name();
        CloseEach.of(users, user -> user.onClosed(name));
    }

    String name() {
        return "completion queue of " + capacity() + " entries";
    }

    @Override
    public String toString() {
        int waiting = Stream.of(rings).mapToInt(CompletionRing::size).sum();
        return name() + (rings.length > 1 ? " for each engine, " : ", ") + waiting + " waiting"
            + (armed.get() == CompletionRing.IDLE ? "" : ", armed") + (isOverrun() ? ", overrun" : "") + (isClosed() ? ", closed" : "");
    }
}
