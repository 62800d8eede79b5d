package io.rxe.connect;

import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

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
    /** Not 0 while a thread is inside, and after the end. */
    private final AtomicInteger work = new AtomicInteger();
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private final AtomicReference<ConnectionEnd> failure = new AtomicReference<>();
    /** Null where messages are handled by the dispatching thread. */
    private final HandlerQueue handlers;
    private volatile boolean released;
    private volatile Runnable onFinished;
    /** Written without order: for the sentence that names a callback which does not return. */
    private Thread running;
    /** What dispatching threw, until the connection knows; dispatching thread. */
    private Throwable thrown;

    /** @param executor of onMessage; null for the dispatching thread. */
    Dispatcher(RxeConnection connection, Endpoint endpoint, Messages messages, OneSidedRequests oneSided, Executor executor) {
        this.connection = connection;
        this.endpoint = endpoint;
        this.messages = messages;
        this.oneSided = oneSided;
        handlers = executor == null ? null : new HandlerQueue(executor, this::handle, this::onFailed, this::run);
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
        Runnable finished;
        do {
            running = Thread.currentThread();
            seen = work.get();
            // Before the poll: what completed before the end is dispatched.
            finished = onFinished;
            try {
                if (thrown == null) {
                    poll();
                }
            } catch (Throwable e) {
                // No callback threw it: the heap or the stack is used up.
                thrown = e;
            }
            tell();
            // While still inside: the next thread names itself.
            running = null;
        } while (finished == null && !work.compareAndSet(seen, 0));
        if (finished != null) {
            finishHandlers(finished);
        }
    }

    /** Where there is no memory to tell it, the next run tells it, and until then dispatches nothing; the end does not depend on that. */
    private void tell() {
        if (thrown != null) {
            try {
                fail(ConnectionEnd.threw("dispatching threw", thrown));
                thrown = null;
            } catch (Throwable e) {
                ConnectionThread.report(e);
            }
        }
    }

    /**
     * Dispatches what is left after the end. Then nothing calls the application any more, and {@code then} runs: here, or on the thread
     * whose callback is the last to return.
     */
    void finish(Runnable then) {
        onFinished = then;
        if (released) {
            run();
        } else {
            then.run();
        }
    }

    private void finishHandlers(Runnable then) {
        if (handlers == null) {
            then.run();
        } else {
            handlers.finish(then);
        }
    }

    /** Why the connection failed, or null. */
    ConnectionEnd failure() {
        return failure.get();
    }

    /** Where a callback of the connection runs now: its line, and the thread; null if none runs. Any thread. */
    String running() {
        Thread handling = handlers == null ? null : handlers.running();
        Thread thread = handling == null ? running : handling;
        return thread == null ? null : CallbackLine.of(thread);
    }

    /** Whether the handler runs on this thread, for which the end waits. */
    boolean isHandling() {
        return handlers != null && handlers.running() == Thread.currentThread();
    }

    private void poll() {
        try {
            postHandled();
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
        if (completion.operation() != Operation.RECEIVE) {
            fail(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "a WRITE with immediate of the peer took the receive of a message: it posts"
                + " its own requests on the queue pair of an io.rxe.connect connection; use RxeConnection.oneSided there", null));
            return;
        }
        ByteBuffer message = messages.onArrival(slot, completion);
        if (message != null) {
            if (!messages.isAnnounced()) {
                fail(new ConnectionEnd(ConnectionEnd.Reason.FAILED, "more messages arrived than receives were announced: the peer posts its"
                    + " own SENDs on the queue pair of an io.rxe.connect connection", null));
                return;
            }
            if (handlers == null) {
                handle(message);
                messages.onConsumed(slot);
            } else {
                handlers.offer(slot, message);
            }
        }
    }

    /** Dispatching thread, or that of the executor. */
    private void handle(ByteBuffer message) {
        if (failure.get() == null) {
            try {
                connection.deliver(message);
            } catch (Throwable e) {
                fail(ConnectionEnd.threw("onMessage threw", e));
            }
        }
    }

    private void postHandled() {
        if (handlers != null) {
            for (HandlerQueue.Arrival next = handlers.takeHandled(); next != null; next = handlers.takeHandled()) {
                messages.onConsumed(next.slot());
            }
        }
    }

    private void onFailed(String what, Throwable why) {
        fail(ConnectionEnd.threw(what + ":", why));
    }

    private void oneSided(int slot, WorkCompletion completion) {
        try {
            oneSided.onCompletion(slot, completion);
        } catch (Throwable e) {
            fail(ConnectionEnd.threw("the callback of a one-sided operation threw", e));
        }
    }

    private void afterBatch() {
        messages.announceCredits();
        if ((messages.isWritableAgain() | oneSided.slots().isWritableAgain()) && failure.get() == null) {
            try {
                connection.writable();
            } catch (Throwable e) {
                fail(ConnectionEnd.threw("onWritable threw", e));
            }
        }
    }

    private void onError(WorkCompletion completion) {
        if (failure.get() == null && completion.status() != CompletionStatus.WR_FLUSH_ERR) {
            // The queue pair is in ERROR, and connection management reports the end.
            failure.compareAndSet(null, new ConnectionEnd(ConnectionEnd.Reason.FAILED, OneSidedRequests.explain(completion)));
        }
    }

    private void fail(ConnectionEnd end) {
        if (!failure.compareAndSet(null, end) && end.cause() != null) {
            // The first one is the reason of the end.
            ConnectionThread.report(end.cause());
        }
        connection.abort();
    }
}
