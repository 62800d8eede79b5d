package io.rxe.net.drive;

import io.rxe.net.port.SystemClock;
import io.rxe.net.port.Warnings;
import io.rxe.port.DrivenEngine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.BooleanSupplier;

/**
 * Decides what becomes of an engine when anything is thrown on the thread that drives it.
 *
 * <pre>
 *   thrown by                         the engine                    queue pairs
 *   a listener of the application     goes on                       untouched
 *   access to a truncated counter file goes on, the file is restored the one being served fails, QP_FATAL
 *   the engine outside a queue pair   fails                         ERROR, everything flushed
 *   socket code                       fails after {@value #MAX_PORT_FAULTS} iterations without a good one
 * </pre>
 *
 * <p>An engine that threw in the middle of its work may have lost track of a queue pair, which would then stall without a word; so it
 * fails. Socket code that throws loses frames at most, which the protocol retransmits.
 *
 * <p>No method throws: often the heap is used up, and then the analysis of a fault fails like the fault itself. A fault
 * that cannot be analysed counts as one of the engine. Nobody waits here either: after repeated faults the engine pauses by a deadline.
 * Belongs to the owner of the engine, except where noted.
 */
final class LoopFaults {
    /** Faults in a row of socket code before the engine fails. Each but the first few is followed by a pause, so this is a second. */
    static final int MAX_PORT_FAULTS = 1000;
    /** Faults in a row before the loop pauses after each. */
    private static final int FAULTS_WITHOUT_PAUSE = 8;
    private static final long PAUSE_NS = 1_000_000;
    /** Not final, so that the JIT compiler cannot leave the allocation out. */
    private static volatile int none;
    private static volatile byte[][] allocated;
    /** Allocated before the heap is used up. */
    private static final String NO_HEAP = "an engine had an error, and there is too little heap to print it: give Java more heap (-Xmx)";

    private final int index;
    private final Warnings warnings;
    private final boolean shared;
    private DrivenEngine engine;
    /** Until then no iteration; see {@link #isPausing}. */
    private long pausedUntilNs = Long.MIN_VALUE;
    private BooleanSupplier restoreCounters = () -> false;
    private int faultsInRow;
    private final MemoryReserve reserve = new MemoryReserve();
    /** Why the engine failed; null while it did not. */
    private Throwable failure;
    /** Whether the engine has not been told of it. */
    private boolean untold;
    /** What could not be reported because the report itself failed; null for nothing. */
    private volatile Throwable unreported;

    /** @param shared whether threads of the application drive the engine: their stacks are not known. */
    LoopFaults(int index, Warnings warnings, boolean shared) {
        this.index = index;
        this.warnings = warnings;
        this.shared = shared;
    }

    void attach(DrivenEngine driven) {
        engine = driven;
    }

    /** Sets what restores a truncated counter file, and returns whether the file was truncated since the last question of this engine. */
    void restoreCountersWith(BooleanSupplier restore) {
        restoreCounters = restore;
    }

    /** An iteration ended without a fault. */
    void onGoodIteration() {
        faultsInRow = 0;
        if (untold) {
            repeatFailure();
        }
    }

    /** Handles what the engine, or a listener that it called, threw; returns whether to iterate again at once. */
    boolean onEngine(Throwable fault) {
        releaseReserve(fault);
        try {
            judge(fault);
        } catch (Throwable second) {
            unreported = fault;
            fail(fault);
        }
        return pauseIfRepeated();
    }

    private void judge(Throwable fault) {
        if (isCounterFile(fault)) {
            return;
        }
        // No code of rxe recurses, and a stack this deep shows only its innermost frames. A thread that polls may come with little left.
        if (fault instanceof StackOverflowError && !shared || ListenerWatch.frames(fault.getStackTrace()) != null) {
            report(fault, "a listener on the thread of engine " + index + " threw, the engine goes on: catch it in the listener: ");
        } else {
            fail(fault);
            report(fault, "engine " + index + " failed, its queue pairs are in ERROR" + remedy(fault));
        }
    }

    private void releaseReserve(Throwable fault) {
        if (fault instanceof OutOfMemoryError) {
            reserve.release();
        }
    }

    /**
     * Throws InternalError if an access to a mapped file has faulted. JDK 17 keeps such a fault until compiled code calls into the JVM,
     * as the creation of an array of two dimensions does; delivered in Netty's code it would end the event loop.
     */
    static void deliverPending() {
        allocated = new byte[none][none];
    }

    /** Reports what the engine contained, see {@link io.rxe.port.EngineThread#report}. */
    void onHandled(String where, Throwable fault) {
        releaseReserve(fault);
        try {
            if (!isCounterFile(fault)) {
                ListenerWatch.Frames listener = ListenerWatch.frames(fault.getStackTrace());
                report(fault, where + " failed, engine " + index + " goes on"
                    + (listener == null ? remedy(fault) : ": catch this in " + listener + ": "));
            }
        } catch (Throwable second) {
            unreported = fault;
        }
    }

    /** Handles what socket code threw; returns whether to iterate again at once. */
    boolean onPort(Throwable fault) {
        if (fault instanceof InternalError || shared && fault instanceof StackOverflowError) {
            // Delivered late, the access may have been anybody's; or out of the engine, which had no stack left to handle it.
            return onEngine(fault);
        }
        releaseReserve(fault);
        try {
            report(fault, "engine " + index + " goes on after an error in its socket code" + remedy(fault));
        } catch (Throwable second) {
            unreported = fault;
        }
        if (faultsInRow >= MAX_PORT_FAULTS) {
            // Again with each: no poll of the engine does what lacked memory.
            fail(fault);
        }
        return pauseIfRepeated();
    }

    /** Fails the engine because its loop, or an owner, has ended; on the thread that has taken the engine over. */
    void onEnd(Throwable cause) {
        fail(cause);
        try {
            report(cause, "engine " + index + " failed, its queue pairs are in ERROR: close this NIC and open another: ");
        } catch (Throwable second) {
            unreported = cause;
        }
    }

    private void fail(Throwable cause) {
        failure = failure == null ? cause : failure;
        untold = true;
        try {
            engine.fail(failure);
            untold = false;
        } catch (Throwable second) {
            unreported = second;
        }
    }

    /** Repeats what a failed engine could not finish for want of memory. */
    void repeatFailure() {
        if (failure != null) {
            fail(failure);
        }
    }

    private boolean pauseIfRepeated() {
        if (++faultsInRow <= FAULTS_WITHOUT_PAUSE) {
            return true;
        }
        pausedUntilNs = SystemClock.nowNs() + PAUSE_NS;
        return false;
    }

    /** Whether an iteration now would come too soon after repeated faults. */
    boolean isPausing(long nowNs) {
        return nowNs < pausedUntilNs;
    }

    long pausedUntilNs() {
        return pausedUntilNs;
    }

    /** An access to a page that a mapped file no longer has is an InternalError, thrown some instructions later. */
    private boolean isCounterFile(Throwable fault) {
        return fault instanceof InternalError && restoreCounters.getAsBoolean();
    }

    private static String remedy(Throwable fault) {
        if (fault instanceof StackOverflowError) {
            return ": the thread that called the NIC had too little stack left: give it more (-Xss), or recurse less: ";
        }
        if (fault instanceof OutOfMemoryError) {
            return ": give Java more memory (-Xmx, or -XX:MaxDirectMemorySize where the text says direct buffer): ";
        }
        if (fault instanceof InternalError) {
            return "; if the text says unsafe memory access, a mapped file that is registered was truncated: do not shorten it: ";
        }
        return ", please report it: ";
    }

    private void report(Throwable fault, String sentence) {
        try {
            // Where the heap is used up each line of a trace costs a collection, so none is made in vain.
            if (isAwaitingWatchdog(fault) || !warnings.isNew(fault.getClass().getName())) {
                return;
            }
            StringWriter trace = new StringWriter();
            fault.printStackTrace(new PrintWriter(trace));
            warnings.undone(fault.getClass().getName(), sentence + trace);
        } catch (Throwable second) {
            unreported = fault;
        }
    }

    /** Whether memory is used up, which could not be reported and which the watchdog will report. */
    private boolean isAwaitingWatchdog(Throwable fault) {
        return fault instanceof OutOfMemoryError && unreported != null;
    }

    /** Reports what could not be reported when it happened; on the watchdog's thread. */
    void reportLate() {
        reserve.refill();
        if (unreported != null) {
            try {
                warnings.undone(NO_HEAP, NO_HEAP);
                unreported = null;
            } catch (Throwable third) {
                // Tried again with the next tick.
                return;
            }
        }
    }
}
