package io.rxe.net.drive;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which thread drives an engine now, and whether it may be driven. One word: taken with acquire, given back with release, so that what an
 * owner wrote is visible to the next. Nobody waits for it, and no owner waits for anything.
 *
 * <pre>
 *   owner  nobody --tryAcquire--> a thread --release--> nobody
 *                                    \-- the thread is lost: takeFrom --> who found that
 *   stage  NEW --begin--> RUNNING --end--> CLOSED
 * </pre>
 *
 * <p>It also notes whether threads poll, so that the engine's own thread leaves the engine to them. Any thread may call.
 */
final class EngineOwnership {
    /** After so long without a poll nobody polls. */
    static final long POLLED_NS = 20_000;
    private static final long NEVER = Long.MIN_VALUE / 2;
    private static final VarHandle OWNER;
    private static final VarHandle CONTENDED;
    private static final VarHandle POLLED_AT;
    private static final VarHandle POLLING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(EngineOwnership.class, "owner", Thread.class);
            CONTENDED = lookup.findVarHandle(EngineOwnership.class, "contended", boolean.class);
            POLLED_AT = lookup.findVarHandle(EngineOwnership.class, "polledAtNs", long.class);
            POLLING = lookup.findVarHandle(EngineOwnership.class, "polling", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private enum Stage {
        NEW, RUNNING, CLOSED
    }

    /** Written elsewhere only by an owner that leaves because something was thrown. */
    volatile Thread owner;
    private volatile Stage stage = Stage.NEW;
    private volatile boolean contended;
    private volatile long polledAtNs = NEVER;
    /** Whether the owner is a thread that polls. */
    volatile boolean polling;

    /** Takes the engine, unless a thread has it: also the caller itself, so that no listener drives the engine that called it. */
    boolean tryAcquire() {
        // The read keeps the cache line shared while another thread has the engine.
        return OWNER.getOpaque(this) == null && OWNER.compareAndSet(this, null, Thread.currentThread());
    }

    /** Takes the engine from an owner that will never give it back; false when it is no longer the owner. */
    boolean takeFrom(Thread lost) {
        return OWNER.compareAndSet(this, lost, Thread.currentThread());
    }

    /** Gives the engine back; only its owner calls. */
    void release() {
        POLLING.setOpaque(this, false);
        OWNER.setRelease(this, null);
    }

    /** Whether the caller has the engine: it is on the engine's thread. */
    boolean isHeld() {
        return OWNER.getOpaque(this) == Thread.currentThread();
    }

    /** The thread that has the engine now, or null. */
    Thread owner() {
        return owner;
    }

    /** The engine may be driven from now on, unless it was closed before. Only its owner calls. */
    void begin() {
        stage = stage == Stage.NEW ? Stage.RUNNING : stage;
    }

    /** The engine is never driven again. Only its owner calls. */
    void end() {
        stage = Stage.CLOSED;
    }

    boolean isRunning() {
        return stage == Stage.RUNNING;
    }

    boolean isClosed() {
        return stage == Stage.CLOSED;
    }

    /** A thread that polls would drive the engine, and another has it. */
    void contend() {
        if (!(boolean) CONTENDED.getOpaque(this)) {
            CONTENDED.setOpaque(this, true);
        }
    }

    /** Whether a thread that polls found the engine taken since {@link #clearContended}. */
    boolean isContended() {
        return (boolean) CONTENDED.getOpaque(this);
    }

    void clearContended() {
        CONTENDED.setOpaque(this, false);
    }

    /** The owner is a thread that polls, until it gives the engine back. */
    void onPollBegins() {
        POLLING.setOpaque(this, true);
    }

    /** A thread polls at this time. */
    void onPolled(long nowNs) {
        POLLED_AT.setOpaque(this, nowNs);
    }

    /** The threads that polled are about to sleep. */
    void onPollingEnds() {
        clearContended();
        polledAtNs = NEVER;
    }

    /** Whether a thread polls now, which may take longer than a moment, or did a moment ago, and so will poll again. */
    boolean isPolled(long nowNs) {
        return polling || nowNs - polledAtNs < POLLED_NS;
    }
}
