package io.rxe.net.drive;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.SystemClock;
import io.rxe.port.Progress;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;

/**
 * The event loop of an engine. It drives the engine while no thread polls: it owns it, and iterates until idle.
 *
 * <pre>
 *   ASLEEP  notified of a frame, a post, a command or a deadline
 *   DRIVING owns the engine for a run
 *   LENT    a thread polls: no notification, looks again after {@value #FIRST_LOOK_NS} ns at first, later {@value #LOOK_AGAIN_NS}
 *
 *   ASLEEP --notified--> DRIVING --idle--> ASLEEP
 *                  DRIVING, ASLEEP --a thread polls--> LENT --nobody polls any more, or a queue is armed--> DRIVING
 * </pre>
 *
 * <p>With {@link Progress#THREAD} it never lends the engine: it owns it from its first run until the end, also asleep. A spinning loop
 * never sleeps. After a bounded number of iterations the event loop runs its other tasks.
 *
 * <p>No wake-up is lost. The flag of {@link LoopWakeUp} is set unless the loop sleeps; a loop that does not sleep looks at the engine
 * again by itself. What a thread that polls leaves behind, unfinished work or a nearer deadline, wakes a sleeping loop too.
 */
final class EngineLoop {
    /**
     * When the loop looks whether threads still poll: soon, since one may have polled only once, or for a moment; then twice as late each
     * time. Until it looks, no frame is noticed.
     */
    private static final long FIRST_LOOK_NS = 25_000;
    /** At the latest. */
    private static final long LOOK_AGAIN_NS = 1_000_000;
    /** The same while another thread runs a command: much shorter. */
    private static final long COMMAND_NS = 20_000;
    /** The event loop's other tasks are few: timers, and a full socket. */
    private static final int ITERATIONS_PER_RUN = 4096;
    /** How long an idle loop polls before it sleeps: about as long as falling asleep and waking up. */
    private static final long SPIN_NS = 50_000;
    /** How long an idle loop polls before it yields its CPU: longer than a round trip. */
    private static final long YIELD_AFTER_NS = 10_000;

    private enum Next {
        RUN_AGAIN, LEND, SLEEP, END
    }

    private final IoEventLoop loop;
    private final boolean lends;
    private final boolean sleeps;
    private final EngineOwnership ownership;
    private final Iteration iteration;
    private final EngineCommands commands;
    private final LoopFaults faults;
    private final LoopTimer timer;
    private final Runnable runTask = this::run;
    private final LoopWakeUp wakeUp;
    /** Whether the next run waits for the timer because threads poll. */
    private volatile boolean lent;
    /** Until when it sleeps unless it is woken. */
    private volatile long sleepsUntilNs = Long.MAX_VALUE;
    private volatile Thread thread;
    /** The first fault of this loop that happened while another thread had the engine; null for none. */
    private Throwable unreported;
    private long busyNs;
    private long lookAgainNs = FIRST_LOOK_NS;

    /**
     * @param lends  whether it leaves the engine to threads that poll.
     * @param sleeps whether it sleeps while idle.
     */
    EngineLoop(IoEventLoop loop, boolean lends, boolean sleeps, EngineOwnership ownership, Iteration iteration, EngineCommands commands,
               LoopFaults faults) {
        this.loop = loop;
        this.lends = lends;
        this.sleeps = sleeps;
        this.ownership = ownership;
        this.iteration = iteration;
        this.commands = commands;
        this.faults = faults;
        this.timer = new LoopTimer(loop, runTask);
        this.wakeUp = new LoopWakeUp(loop, runTask);
    }

    IoEventLoop eventLoop() {
        return loop;
    }

    /** The socket is readable; on the event loop's thread. */
    void onReady() {
        // A loop that never sleeps runs again by itself.
        if (sleeps) {
            run();
        }
    }

    /** The engine runs from now on. Any thread. */
    void start() {
        // Set already if there was a command before.
        wakeUp.set();
        wakeUp.execute();
    }

    /** Makes a sleeping loop look at the engine. Any thread. */
    void wake() {
        if (sleeps) {
            wakeUp.wake();
        }
    }

    /** A thread that polls has iterated, and still owns the engine: what it leaves behind must not be forgotten when it polls no more. */
    void onPolled(boolean busy) {
        if (!wakeUp.isSet() && (busy || iteration.isBlocked() || iteration.nextDeadlineNs() < sleepsUntilNs)) {
            wake();
        }
    }

    /** A thread that polled is about to sleep. Any thread. */
    void onPollingEnds() {
        ownership.onPollingEnds();
        VarHandle.fullFence();
        if (lent) {
            lent = false;
            wakeUp.execute();
        }
    }

    /** Repeats a wake-up that was lost, also that of a timer; on the watchdog's thread. */
    void watch() {
        wakeUp.repeatLost();
        if (timer.isOverdue()) {
            if (lent) {
                wakeUp.execute();
            } else {
                wakeUp.wake();
            }
        }
    }

    /** Whether the event loop has no thread any more, in order or because its thread died. Any thread. */
    boolean hasEnded() {
        Thread last = thread;
        return loop.isTerminated() || last != null && !last.isAlive();
    }

    boolean isThread(Thread other) {
        return thread == other;
    }

    /** Runs until a next run is arranged for: what a task throws would end that, or the event loop. */
    private void run() {
        thread = Thread.currentThread();
        boolean arranged = false;
        while (!arranged && ownership.isRunning()) {
            try {
                drive();
                arranged = true;
            } catch (RejectedExecutionException e) {
                // The event loop is ending.
                arranged = true;
            } catch (Throwable fault) {
                unreported = unreported == null ? fault : unreported;
                report();
                arranged = wakeUp.executeWithoutMemory();
            }
        }
    }

    private boolean own() {
        return ownership.isHeld() || ownership.tryAcquire();
    }

    private void giveBack() {
        if (lends || !ownership.isRunning()) {
            ownership.release();
        }
    }

    /** Only the owner of the engine may report. If that is another thread, a later run tries again. */
    private void report() {
        if (unreported != null && own()) {
            try {
                Throwable fault = unreported;
                unreported = null;
                faults.onPort(fault);
            } finally {
                giveBack();
            }
        }
    }

    private void drive() {
        wakeUp.set();
        lent = false;
        report();
        if (lends && ownership.isPolled(SystemClock.nowNs())) {
            lend();
        } else if (own()) {
            lookAgainNs = FIRST_LOOK_NS;
            arrange(runAsOwner());
        } else {
            timer.wakeBy(SystemClock.nowNs() + COMMAND_NS);
        }
    }

    private Next runAsOwner() {
        Next next = Next.END;
        try {
            next = iterateWhileBusy();
            if (next == Next.SLEEP) {
                next = fallAsleep();
            }
            return next;
        } finally {
            if (next != Next.RUN_AGAIN) {
                iteration.rest();
            }
            giveBack();
        }
    }

    private Next iterateWhileBusy() {
        ownership.clearContended();
        for (int done = 0; done < ITERATIONS_PER_RUN; done++) {
            // One for each iteration: an application that calls one after the other must not stop the engine.
            commands.runNext();
            if (!ownership.isRunning()) {
                // It closed the engine, or one did before this thread had it.
                return Next.END;
            }
            boolean busy = iteration.iterate();
            if (ownership.isContended()) {
                // It polled just now, and will have the engine from the next time on.
                ownership.onPolled(iteration.nowNs());
                return Next.LEND;
            }
            if (busy) {
                busyNs = iteration.nowNs();
            } else if (sleeps && (iteration.isBlocked() || iteration.nowNs() - busyNs >= SPIN_NS)) {
                lookAgainNs = FIRST_LOOK_NS;
                return Next.SLEEP;
            } else {
                yieldCpu();
            }
        }
        return Next.RUN_AGAIN;
    }

    /**
     * Yields the CPU when idle for longer than a round trip, so that with more spinning threads than CPUs the thread we wait for can
     * run. Costs a short system call where no other thread wants the CPU. A loop about to sleep does not yield: behind threads that
     * compute it would lose a timeslice for each datagram, while the scheduler runs a thread that wakes up before those. Nor does one
     * that lends the engine, which a thread that polls would miss meanwhile.
     */
    private void yieldCpu() {
        if (!lends && iteration.nowNs() - busyNs > YIELD_AFTER_NS) {
            Thread.yield();
        }
    }

    /** Clears the flag before a last iteration: that iteration polls earlier posts, and the thread of a later post wakes the loop. */
    private Next fallAsleep() {
        wakeUp.clear();
        boolean busy = commands.runNext();
        if (!ownership.isRunning()) {
            return Next.END;
        }
        if ((iteration.iterate() || busy) && wakeUp.trySet()) {
            return Next.RUN_AGAIN;
        }
        iteration.rearm();
        iteration.onSleep();
        sleepsUntilNs = iteration.nextDeadlineNs();
        return Next.SLEEP;
    }

    /** A loop that lends is without the engine here: others may have taken it meanwhile. */
    private void arrange(Next next) {
        LoopFaults.deliverPending();
        switch (next) {
            case RUN_AGAIN -> loop.execute(runTask);
            case LEND -> lend();
            case SLEEP -> timer.wakeBy(sleepsUntilNs);
            case END -> { }
        }
    }

    /** Leaves the engine to the threads that poll, and looks again later. A thread that ends polling sees the flag, or is seen here. */
    private void lend() {
        lent = true;
        VarHandle.fullFence();
        long nowNs = SystemClock.nowNs();
        if (ownership.isPolled(nowNs)) {
            timer.wakeBy(nowNs + lookAgainNs);
            lookAgainNs = Math.min(LOOK_AGAIN_NS, 2 * lookAgainNs);
        } else {
            loop.execute(runTask);
        }
    }
}
