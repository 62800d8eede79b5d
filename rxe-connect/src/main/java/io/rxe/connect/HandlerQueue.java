package io.rxe.connect;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Runs the message handler of one connection on an executor of the application: one message at a time, in order of arrival. A message
 * holds its receive until the handler has returned, so that a slow handler slows the peer down and nothing is copied.
 *
 * <pre>
 *   dispatching thread --offer--> arrived --executor--> handler --> handled --takeHandled--> dispatching thread posts the receive again
 * </pre>
 */
final class HandlerQueue implements Runnable {
    /** A message in the memory of its receive. */
    record Arrival(int slot, ByteBuffer message) {
    }

    /** What becomes of the messages that arrived: nobody has them, the executor does, or the handler. */
    private enum Stage {
        IDLE, SUBMITTED, RUNNING
    }

    private final Executor executor;
    private final Consumer<ByteBuffer> handler;
    private final BiConsumer<String, Throwable> onFailed;
    private final Runnable onHandled;
    private final Queue<Arrival> arrived = new ConcurrentLinkedQueue<>();
    private final Queue<Arrival> handled = new ConcurrentLinkedQueue<>();
    /** Messages offered since a run began, and the end: as long as it is not 0, a run exists or the executor has refused one. */
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.IDLE);
    /** The first of what failed; null before. No message is handled after it. */
    private volatile Throwable failure;
    /** What failed: written before {@link #failure}. */
    private String failed;
    private volatile boolean isTold;
    private volatile Runnable onFinished;
    private volatile Thread running;

    /**
     * @param handler   throws an Error at most.
     * @param onFailed  gets what failed and what was thrown; no message is handled after it.
     * @param onHandled runs on the executor's thread when receives can be posted again.
     */
    HandlerQueue(Executor executor, Consumer<ByteBuffer> handler, BiConsumer<String, Throwable> onFailed, Runnable onHandled) {
        this.executor = executor;
        this.handler = handler;
        this.onFailed = onFailed;
        this.onHandled = onHandled;
    }

    /** Dispatching thread: a message arrived. */
    void offer(int slot, ByteBuffer message) {
        if (failure != null) {
            tell();
            return;
        }
        arrived.offer(new Arrival(slot, message));
        if (pending.getAndIncrement() == 0) {
            stage.set(Stage.SUBMITTED);
            submit();
        }
    }

    /** Also an Error of the executor is a refusal: a pool that cannot start a thread throws one. */
    private void submit() {
        try {
            executor.execute(this);
        } catch (Throwable e) {
            fail("the executor of onMessage refused a message: close connections before their executor, or give it room", e);
        }
    }

    private void fail(String what, Throwable why) {
        if (failure == null) {
            failed = what;
            failure = why;
        }
        tell();
    }

    /** Where there is no memory to tell it, the next message tells it: neither a run nor the end depends on that. */
    private void tell() {
        if (!isTold) {
            try {
                onFailed.accept(failed, failure);
                isTold = true;
            } catch (Throwable e) {
                ConnectionThread.report(e);
            }
        }
    }

    /** Dispatching thread: a message whose receive can be posted again, or null. */
    Arrival takeHandled() {
        return handled.poll();
    }

    /**
     * Runs {@code then} when the last message is handled; on the executor's thread, or here. Nothing is offered any more. What was
     * submitted and has not begun is submitted again: an executor that was shut down, and has dropped it, refuses.
     */
    void finish(Runnable then) {
        onFinished = then;
        if (pending.getAndIncrement() == 0) {
            then.run();
            return;
        }
        if (stage.get() == Stage.SUBMITTED && failure == null) {
            submit();
        }
        if (failure != null && stage.compareAndSet(Stage.SUBMITTED, Stage.RUNNING)) {
            then.run();
        }
    }

    /** The thread in which the handler runs, or null. */
    Thread running() {
        return running;
    }

    @Override
    public void run() {
        if (!stage.compareAndSet(Stage.SUBMITTED, Stage.RUNNING)) {
            // It was submitted twice.
            return;
        }
        int seen;
        Runnable finished;
        do {
            stage.set(Stage.RUNNING);
            running = Thread.currentThread();
            seen = pending.get();
            finished = onFinished;
            try {
                handleAll();
                if (finished == null) {
                    onHandled.run();
                }
            } catch (Throwable e) {
                // No handler threw it: the heap or the stack is used up.
                fail("handing on messages threw", e);
            }
            running = null;
            if (finished == null) {
                stage.set(Stage.IDLE);
            }
        } while (finished == null && !pending.compareAndSet(seen, 0));
        if (finished != null) {
            finished.run();
        }
    }

    private void handleAll() {
        for (Arrival next = arrived.poll(); next != null; next = arrived.poll()) {
            handler.accept(next.message());
            handled.offer(next);
        }
    }
}
