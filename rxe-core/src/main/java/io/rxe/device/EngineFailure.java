package io.rxe.device;

import io.rxe.port.EngineThread;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.context.PendingNotifications;
import io.rxe.verbs.AsyncEvent;
import java.util.function.Consumer;

/**
 * The end of an engine that cannot go on, or whose device failed.
 *
 * <pre>
 *   SOUND --begin, or another engine failed--> FAILING --every step succeeded once--> COMPLETE
 *
 *   steps: DEVICE_FATAL is raised, verbs refuse | every queue pair is in ERROR and flushed | channels are notified | waiters wake
 * </pre>
 *
 * <p>The cause is often that memory is used up, so that a step may fail too. Each step may be repeated, and {@link #proceed} repeats those
 * that failed, with each later poll of the engine, until all have succeeded. What the first step needs is allocated beforehand. A lambda
 * or a string concatenation that runs for the first time without memory may fail for good with a LinkageError. So the steps avoid both,
 * and one that throws anything but OutOfMemoryError counts as done after {@value #MAX_OTHER_ATTEMPTS} such attempts, because threads wait.
 *
 * <p>Owned by the engine thread, or by who does its work after it ended.
 */
final class EngineFailure {
    /** Between two attempts. */
    private static final long RETRY_NS = 10_000_000;
    /** Attempts in which any step threw anything but OutOfMemoryError. */
    private static final int MAX_OTHER_ATTEMPTS = 100;
    private static final Throwable OF_ANOTHER_ENGINE = new IllegalStateException("another engine of the NIC failed");

    private enum State {
        SOUND, FAILING, COMPLETE
    }

    private final DeviceState device;
    private final QueuePairTable queuePairs;
    private final PendingNotifications notifications;
    private final String engine;
    /** Raised where there is no memory for one that names the cause. */
    private final AsyncEvent withoutMemory;
    private final Consumer<QueuePairTasks> failQueuePair = this::fail;
    private State state = State.SOUND;
    private Throwable cause;
    private boolean allFlushed;
    private boolean counted;
    /** Whether a step of this attempt threw anything but OutOfMemoryError. */
    private boolean otherError;
    private int otherAttempts;
    private long retryAtNs = Long.MIN_VALUE;

    /** @param engine its name, for messages. */
    EngineFailure(DeviceState device, String engine, QueuePairTable queuePairs, PendingNotifications notifications) {
        this.device = device;
        this.queuePairs = queuePairs;
        this.notifications = notifications;
        this.engine = engine;
        this.withoutMemory = fatal(engine + " failed, and no memory is left to say why: give Java more (-Xmx), close the NIC and open"
            + " another");
    }

    /** Reports a fault of one queue pair, which the engine survives. */
    static void report(EngineThread thread, QueuePairTasks queuePair, Throwable fault) {
        try {
            thread.report("queue pair 0x" + Integer.toHexString(queuePair.context().number()), fault);
        } catch (OutOfMemoryError noMemory) {
            thread.report("a queue pair", fault);
        }
    }

    private static AsyncEvent fatal(String explanation) {
        return new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, null, null, null, explanation);
    }

    /** The engine cannot go on; of several causes the first counts. {@link #proceed} must follow. */
    void begin(Throwable fault) {
        if (state == State.SOUND) {
            state = State.FAILING;
            cause = fault;
        }
    }

    /** Whether there is a step to take now. */
    boolean isDue(long nowNs) {
        if (state == State.SOUND && device.isFailed()) {
            begin(OF_ANOTHER_ENGINE);
        }
        return state == State.FAILING && nowNs >= retryAtNs;
    }

    /** When {@link #proceed} is to be called at the latest; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        return state == State.FAILING ? retryAtNs : Long.MAX_VALUE;
    }

    /** Takes every step that has not succeeded. Never throws. */
    void proceed(long nowNs) {
        if (state != State.FAILING) {
            return;
        }
        retryAtNs = nowNs + RETRY_NS;
        otherError = false;
        boolean isRaised = raise();
        boolean isFlushed = failQueuePairs();
        notifications.notifyChannels();
        if (isRaised && isFlushed && !notifications.isWaiting() && wakeWaiters()) {
            state = State.COMPLETE;
        }
        if (otherError) {
            otherAttempts++;
        }
    }

    private boolean raise() {
        try {
            if (cause != OF_ANOTHER_ENGINE) {
                device.fail(event());
            }
            return true;
        } catch (Throwable noMemory) {
            return isGivenUp(noMemory);
        }
    }

    /** Whether a step that threw counts as done all the same. Many queue pairs may throw in one attempt. */
    private boolean isGivenUp(Throwable thrown) {
        if (thrown instanceof OutOfMemoryError) {
            return false;
        }
        otherError = true;
        return otherAttempts >= MAX_OTHER_ATTEMPTS;
    }

    private AsyncEvent event() {
        try {
            return fatal(engine + " failed with " + cause + ": close the NIC and open another");
        } catch (Throwable noMemory) {
            return withoutMemory;
        }
    }

    private boolean failQueuePairs() {
        allFlushed = true;
        try {
            queuePairs.forEach(failQueuePair);
            return allFlushed;
        } catch (Throwable noMemory) {
            return isGivenUp(noMemory);
        }
    }

    private void fail(QueuePairTasks queuePair) {
        try {
            queuePair.onFault(cause);
            if (queuePair.isFaulty()) {
                queuePair.flushFaulty();
            }
        } catch (Throwable noMemory) {
            // The others come first.
            allFlushed &= isGivenUp(noMemory);
        }
    }

    private boolean wakeWaiters() {
        try {
            if (!counted) {
                counted = true;
                device.countFlushed();
            }
            device.wakeWaiters();
            return true;
        } catch (Throwable noMemory) {
            return isGivenUp(noMemory);
        }
    }
}
