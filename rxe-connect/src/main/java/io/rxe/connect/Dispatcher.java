package io.rxe.connect;

import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes the completions of one connection and calls the application. Runs on the thread of the queue pair's engine; on the connection
 * thread for what arrived before the connection was established or is left at its end. One thread at a time: who finds another inside
 * leaves a mark, and the one inside polls again.
 */
final class Dispatcher {
    private static final int BATCH = 32;

    private final RxeConnection connection;
    private final Endpoint endpoint;
    private final Messages messages;
    private final OneSidedRequests oneSided;
    private final AtomicInteger work = new AtomicInteger();
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private volatile boolean released;
    private volatile boolean stopped;
    private volatile ConnectionEnd failure;

    Dispatcher(RxeConnection connection, Endpoint endpoint, Messages messages, OneSidedRequests oneSided) {
        this.connection = connection;
        this.endpoint = endpoint;
        this.messages = messages;
        this.oneSided = oneSided;
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    /** The application may be called from now on. */
    void release() {
        released = true;
        run();
    }

    /** Dispatches all completions there are. */
    void run() {
        if (!released || work.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = work.get();
            poll();
        } while (!work.compareAndSet(seen, 0));
    }

    /** Dispatches what is left after the end; then nothing calls the application any more. On the connection thread. */
    void finish() {
        run();
        while (work.get() != 0) {
            // The engine is in a callback of the application.
            Thread.yield();
        }
        stopped = true;
    }

    /** Why the connection failed, or null. */
    ConnectionEnd failure() {
        return failure;
    }

    private void poll() {
        try {
            boolean armed = false;
            while (true) {
                int count = endpoint.completions.poll(batch);
                if (count == 0 && armed) {
                    return;
                }
                if (count == 0) {
                    endpoint.completions.requestNotification(false);
                }
                armed = count == 0;
                process(count);
                afterBatch();
            }
        } catch (IllegalStateException e) {
            // The queue or its NIC is closed, and all its completions were taken.
            return;
        }
    }

    /** Consecutive messages that were acknowledged are released together, before the application is called. */
    private void process(int count) {
        int unreleased = 0;
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = batch[i];
            if (!completion.isSuccess()) {
                onError(completion);
            }
            if (Work.kind(completion.workRequestId()) == Work.MESSAGE) {
                continue;
            }
            release(unreleased, i);
            unreleased = i + 1;
            process(completion);
        }
        release(unreleased, count);
    }

    private void release(int from, int to) {
        if (from < to) {
            messages.onSent(batch, from, to);
        }
    }

    private void process(WorkCompletion completion) {
        int slot = Work.slot(completion.workRequestId());
        switch (Work.kind(completion.workRequestId())) {
            case Work.RECEIVE -> {
                if (completion.isSuccess()) {
                    receive(slot, completion);
                }
            }
            case Work.CREDIT_MESSAGE -> messages.onCreditMessageSent();
            default -> oneSided(slot, completion);
        }
    }

    private void receive(int slot, WorkCompletion completion) {
        ByteBuffer message = messages.onArrival(slot, completion);
        if (message != null) {
            if (!messages.isAnnounced()) {
                fail(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "more messages arrived than receives were announced: the peer posts its"
                    + " own SENDs on the queue pair of an io.rxe.connect connection", null));
                return;
            }
            if (failure == null) {
                try {
                    connection.deliver(message);
                } catch (Throwable e) {
                    fail(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "onMessage threw " + e, e));
                }
            }
            messages.onConsumed(slot);
        }
    }

    private void oneSided(int slot, WorkCompletion completion) {
        try {
            oneSided.onCompletion(slot, completion);
        } catch (Throwable e) {
            fail(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "the callback of a one-sided operation threw " + e, e));
        }
    }

    private void afterBatch() {
        messages.announceCredits();
        if ((messages.isWritableAgain() | oneSided.isWritableAgain()) && !stopped && failure == null) {
            try {
                connection.writable();
            } catch (Throwable e) {
                fail(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "onWritable threw " + e, e));
            }
        }
    }

    private void onError(WorkCompletion completion) {
        if (failure == null && completion.status() != CompletionStatus.WR_FLUSH_ERR) {
            // The queue pair is in ERROR, and connection management reports the end.
            failure = new ConnectionEnd(ConnectionEnd.Reason.FAILED, completion.explanation().isEmpty() ? completion.status().sentence()
                : completion.explanation());
        }
    }

    private void fail(ConnectionEnd end) {
        if (failure == null) {
            failure = end;
        }
        connection.abort();
    }
}
