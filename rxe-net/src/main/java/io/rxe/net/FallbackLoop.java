package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.SystemClock;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;

/**
 * The event loop of an engine that threads drive by polling. It drives the engine while no thread polls.
 *
 * <pre>
 *   ASLEEP  notified once of a frame, a post or a deadline
 *   DRIVING owns the engine for a run, as {@link NicLoop} does
 *   LENT    a thread polls: no notification, looks again after {@value #FIRST_LOOK_NS} ns at first, later {@value #LOOK_AGAIN_NS}
 *
 *   ASLEEP --notified--> DRIVING --idle--> ASLEEP
 *                  DRIVING, ASLEEP --a thread polls--> LENT --nobody polls any more, or a queue is armed--> DRIVING
 * </pre>
 *
 * <p>No wake-up is lost. The flag of {@link LoopWakeUp} is set unless the loop sleeps; a loop that does not sleep looks at the engine
 * again by itself. What a thread that polls leaves behind, unfinished work or a nearer deadline, wakes a sleeping loop too.
 */
final class FallbackLoop {
    /** When the loop looks whether threads still poll: soon at first, since one may have polled only once, then twice as late each time. */
    private static final long FIRST_LOOK_NS = 60_000;
    /** At the latest. */
    private static final long LOOK_AGAIN_NS = 1_000_000;
    /** The same while another thread runs a command: much shorter. */
    private static final long COMMAND_NS = 20_000;
    /** As in {@link NicLoop}. */
    private static final int ITERATIONS_PER_RUN = 4096;
    /** How long an idle loop polls before it sleeps, as in {@link NicLoop}. */
    private static final long SPIN_NS = 50_000;

    private enum Next {
        RUN_AGAIN, LEND, SLEEP, END
    }

    private final IoEventLoop loop;
    private final EngineOwnership ownership;
    private final EngineRound round;
    private final OwnerCommands commands;
    private final LoopFaults faults;
    private final LoopTimer timer;
    private final Runnable runTask = this::run;
    private final LoopWakeUp wakeUp;
    /** Whether the next run waits for the timer because threads poll. */
    private volatile boolean lent;
    /** Until when it sleeps unless it is woken. */
    private volatile long sleepsUntilNs = Long.MAX_VALUE;
    private volatile boolean running;
    private volatile Thread thread;
    /** The first fault of this loop that happened while another thread had the engine; null for none. */
    private Throwable unreported;
    private long busyNs;
    private long lookAgainNs = FIRST_LOOK_NS;

    FallbackLoop(IoEventLoop loop, EngineOwnership ownership, EngineRound round, OwnerCommands commands, LoopFaults faults) {
        this.loop = loop;
        this.ownership = ownership;
        this.round = round;
        this.commands = commands;
        this.faults = faults;
        this.timer = new LoopTimer(loop, runTask);
        this.wakeUp = new LoopWakeUp(loop, runTask);
    }

    IoEventLoop loop() {
        return loop;
    }

    /** The socket is readable; on the event loop's thread. */
    Runnable onReady() {
        return runTask;
    }

    /** The engine runs from now on. Any thread. */
    void start() {
        running = true;
        // Set already if there was a command before.
        wakeUp.set();
        wakeUp.execute();
    }

    /** The engine runs no more. Any thread. */
    void end() {
        running = false;
    }

    /** Makes a sleeping loop look at the engine. Any thread. */
    void wake() {
        wakeUp.wake();
    }

    /** A thread that polls has iterated, and still owns the engine: what it leaves behind must not be forgotten when it polls no more. */
    void onPolled(boolean busy) {
        if (!wakeUp.isSet() && (busy || round.isBlocked() || round.nextDeadlineNs() < sleepsUntilNs)) {
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

    /** Repeats a wake-up that was lost; on the watchdog's thread. */
    void watch() {
        wakeUp.repeatLost();
    }

    /** Whether the event loop has no thread any more, in order or because its thread died. Any thread. */
    boolean hasEnded() {
        Thread last = thread;
        return loop.isTerminated() || last != null && !last.isAlive();
    }

    /** Runs until a next run is arranged for: what a task throws would end that, or the event loop. */
    private void run() {
        thread = Thread.currentThread();
        boolean arranged = false;
        while (!arranged && running) {
            try {
                drive();
                arranged = true;
            } catch (RejectedExecutionException e) {
                // The event loop is ending.
                arranged = true;
            } catch (Throwable fault) {
                report(fault);
                arranged = wakeUp.executeWithoutMemory();
            }
        }
    }

    private void report(Throwable fault) {
        unreported = unreported == null ? fault : unreported;
        reportFault();
    }

    /** Only the owner of the engine may report. If that is another thread, a later run tries again. */
    private void reportFault() {
        if (unreported != null && ownership.tryAcquire()) {
            try {
                Throwable fault = unreported;
                unreported = null;
                faults.onPort(fault);
            } finally {
                ownership.release();
            }
        }
    }

    private void drive() {
        wakeUp.set();
        lent = false;
        reportFault();
        if (ownership.isPolled(SystemClock.nowNs())) {
            lend();
        } else if (ownership.tryAcquire()) {
            arrange(runAsOwner());
        } else {
            timer.wakeBy(SystemClock.nowNs() + COMMAND_NS);
        }
    }

    private Next runAsOwner() {
        try {
            Next next = iterateWhileBusy();
            return next == Next.SLEEP ? fallAsleep() : next;
        } finally {
            round.rest();
            ownership.release();
        }
    }

    private Next iterateWhileBusy() {
        ownership.clearContended();
        for (int done = 0; done < ITERATIONS_PER_RUN; done++) {
            commands.runQueued();
            if (!running) {
                // One of them closed the engine, or did before this thread had it.
                return Next.END;
            }
            boolean busy = round.iterate();
            if (ownership.isContended()) {
                // It polled just now, and will have the engine from the next time on.
                ownership.onPolled(round.nowNs());
                return Next.LEND;
            }
            if (busy) {
                busyNs = round.nowNs();
            } else if (round.isBlocked() || round.nowNs() - busyNs >= SPIN_NS) {
                lookAgainNs = FIRST_LOOK_NS;
                return Next.SLEEP;
            }
        }
        return Next.RUN_AGAIN;
    }

    /** Clears the flag before a last iteration: that iteration polls earlier posts, and the thread of a later post wakes the loop. */
    private Next fallAsleep() {
        wakeUp.clear();
        if (round.iterate() && wakeUp.trySet()) {
            return Next.RUN_AGAIN;
        }
        round.rearm();
        sleepsUntilNs = round.nextDeadlineNs();
        return Next.SLEEP;
    }

    /** Without the engine: others may have taken it meanwhile. */
    private void arrange(Next next) {
        LoopFaults.deliverPending();
        switch (next) {
            case RUN_AGAIN -> loop.execute(runTask);
            case LEND -> lend();
            case SLEEP -> timer.wakeBy(sleepsUntilNs);
            case END -> { }
        }
    }

    /** Leaves the engine to the threads that poll, and looks again later. Who ends polling sees the flag, or else is seen here. */
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
