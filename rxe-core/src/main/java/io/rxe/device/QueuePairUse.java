package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.QueuePairState;

/** Whether a queue pair may be used: it, its queues and its NIC are open, and it is in a state to post in. Any thread. */
final class QueuePairUse {
    private final DeviceState device;
    private final QueuePairContext context;
    private final Dependencies dependencies;
    private final Closing closing = new Closing();

    QueuePairUse(DeviceState device, QueuePairContext context, Dependencies dependencies) {
        this.device = device;
        this.context = context;
        this.dependencies = dependencies;
    }

    /** Closes it: see {@link Closing#run}. */
    void close(Runnable steps) {
        closing.run(steps);
    }

    boolean isClosed() {
        return closing.isBegun();
    }

    /** @throws IllegalStateException when the NIC is closed or failed, or the queue pair closed. */
    void checkOpen() {
        device.check();
        checkNotClosed();
    }

    /**
     * As {@link #checkOpen()}, at the beginning of a verb.
     *
     * @throws RuntimeException also when a fault made on purpose refuses the verb.
     */
    void checkOpen(Verb verb) {
        checkOpen();
        device.faults().onCall(verb, 0);
    }

    /** As {@link #checkOpen()}, for what works after the NIC failed. */
    void checkNotClosed() {
        if (isClosed()) {
            device.check();
            throw new IllegalStateException(name() + " is closed: create another");
        }
    }

    void checkQueuesOpen() {
        dependencies.checkOpen(name());
    }

    /** @throws IllegalStateException when sends cannot be posted. */
    void checkSend() {
        QueuePairState state = context.state();
        if (state != QueuePairState.RTS) {
            checkPost(state, state == QueuePairState.INIT || state == QueuePairState.RTR, "RTS before posting sends");
        }
    }

    /** @throws IllegalStateException when receives cannot be posted. */
    void checkReceive() {
        QueuePairState state = context.state();
        if (state != QueuePairState.RTS) {
            checkPost(state, false, "INIT before posting receives");
        }
    }

    /** The slow part of a post: outside RTS it may be refused. */
    private void checkPost(QueuePairState state, boolean isTooEarly, String wanted) {
        if (state == QueuePairState.RESET || isTooEarly) {
            checkOpen();
            throw new IllegalStateException(name() + " is in " + state + ": bring it to " + wanted);
        }
        if (state == QueuePairState.ERROR) {
            device.check();
            checkQueuesOpen();
        }
    }

    String name() {
        return "queue pair 0x" + Integer.toHexString(context.number());
    }
}
