package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Drives one engine on one event loop.
 *
 * <pre>
 *   readable, wake(), deadline --> iterations: | receive a few datagrams -> onPacket | poll | flush | ... until idle --> sleep
 * </pre>
 *
 * <p>Acknowledgements are state of the engine until {@code poll}, so one leaves for each batch received. An idle loop polls for a
 * moment and then sleeps until the socket is readable (or writable, when it was full), a thread calls {@link #wake} or the engine's
 * deadline passes; a spinning loop never sleeps. After a bounded number of iterations the event loop runs its other tasks.
 *
 * <p>Whatever is thrown, {@link LoopFaults} decides about it and the loop goes on. When the event loop itself ends, the engine fails.
 */
final class NicLoop implements EngineDriver {
    /** The event loop is needed only for commands, which end a run early, and for a full socket. */
    private static final int ITERATIONS_PER_RUN = 4096;
    /** How long an idle loop polls before it sleeps: about as long as falling asleep and waking up. */
    private static final long SPIN_NS = 50_000;
    /** How long an idle loop polls before it yields its CPU: longer than a round trip. */
    private static final long YIELD_AFTER_NS = 10_000;
    private static final long NEVER = Long.MAX_VALUE;

    private enum State {
        NEW, RUNNING, CLOSED
    }

    private final IoEventLoop loop;
    private final LoopFaults faults;
    private final EngineRound round;
    private final LoopCommands commands;
    private final LoopTimer timer;
    private final FileWriter fileWriter;
    private final Runnable runTask = this::run;
    private final LoopWakeUp wakeUp;
    /** How long it polls while idle; {@link #NEVER} for a loop that never sleeps. */
    private final long spinNs;
    private State state = State.NEW;
    private long busyNs;
    private volatile Thread thread;

    NicLoop(int index, int engines, IoEventLoop loop, UdpPort port, boolean spin, NetCounters counters, Warnings warnings) {
        this.loop = loop;
        this.wakeUp = new LoopWakeUp(loop, runTask);
        this.faults = new LoopFaults(index, warnings);
        this.round = new EngineRound(index, engines, port, counters, warnings, faults);
        this.commands = new LoopCommands(loop, this::wake, this::hasEnded);
        this.timer = new LoopTimer(loop, this::onReady);
        this.fileWriter = new FileWriter("rxe-file-writer-" + index);
        this.spinNs = spin ? NEVER : SPIN_NS;
    }

    @Override
    public void attach(EngineCore core, List<? extends EngineDriver> all) {
        call(() -> {
            thread = Thread.currentThread();
            round.attach(core, all);
        });
    }

    @Override
    public void restoreCountersWith(BooleanSupplier restore) {
        call(() -> faults.restoreCountersWith(restore));
    }

    @Override
    public void start() throws IOException {
        round.start(loop, this::onReady);
        loop.terminationFuture().addListener(ended -> onTermination());
        call(() -> {
            if (state == State.NEW) {
                state = State.RUNNING;
                wakeUp.set();
                loop.execute(runTask);
            }
        });
    }

    @Override
    public void add(UdpPort groupPort) throws IOException {
        round.start(groupPort, loop, this::onReady);
        call(() -> round.add(groupPort));
    }

    @Override
    public void remove(UdpPort groupPort) {
        call(() -> round.remove(groupPort));
    }

    @Override
    public void call(Runnable command) {
        commands.call(command);
    }

    @Override
    public boolean isCurrent() {
        return loop.inEventLoop();
    }

    @Override
    public boolean wouldBlock() {
        return isCurrent();
    }

    @Override
    public void report(String where, Throwable fault) {
        faults.onHandled(where, fault);
    }

    @Override
    public void wake() {
        if (!isSpinning()) {
            wakeUp.wake();
        }
    }

    @Override
    public void offload(Runnable work) {
        fileWriter.execute(work);
    }

    private boolean isSpinning() {
        return spinNs == NEVER;
    }

    private void onReady() {
        if (!isSpinning()) {
            run();
        }
    }

    /** Runs until a next run is arranged for: what a queued task or a handler throws would end that, or the event loop. */
    private void run() {
        boolean arranged = false;
        while (!arranged && state == State.RUNNING) {
            try {
                iterateWhileBusy();
                arranged = true;
            } catch (RejectedExecutionException e) {
                // The event loop is ending, and calls onTermination.
                arranged = true;
            } catch (Throwable fault) {
                faults.onPort(fault);
                arranged = wakeUp.executeWithoutMemory();
            }
        }
    }

    /** Iterates until idle, or until the event loop should run its other tasks. */
    private void iterateWhileBusy() {
        wakeUp.set();
        boolean polling = true;
        int done = 0;
        // Commands end a run, but only after an iteration: an application that calls one after the other must not stop the engine.
        do {
            if (round.iterate()) {
                busyNs = round.nowNs();
            } else if (keepPolling()) {
                yieldCpu();
            } else {
                polling = false;
            }
            done++;
        } while (done < ITERATIONS_PER_RUN && polling && !commands.isPending());
        if (polling || isSpinning()) {
            runAgain();
        } else {
            sleep();
        }
    }

    /** Clears the flag before a last iteration: that iteration polls earlier posts, and the thread of a later post wakes the loop. */
    private void sleep() {
        wakeUp.clear();
        if (round.iterate() && wakeUp.trySet()) {
            runAgain();
        } else {
            sleepUntilDeadline();
            round.rest();
        }
    }

    private boolean keepPolling() {
        return !round.isBlocked() && round.nowNs() - busyNs < spinNs;
    }

    /**
     * Yields the CPU when idle for longer than a round trip, so that with more spinning threads than CPUs the thread we wait for can
     * run. Costs a short system call where no other thread wants the CPU. A loop about to sleep does not yield: behind threads that
     * compute it would lose a timeslice for each datagram, while the scheduler runs a thread that wakes up before those.
     */
    private void yieldCpu() {
        if (round.nowNs() - busyNs > YIELD_AFTER_NS) {
            Thread.yield();
        }
    }

    private void runAgain() {
        LoopFaults.deliverPending();
        wakeUp.set();
        loop.execute(runTask);
    }

    private void sleepUntilDeadline() {
        LoopFaults.deliverPending();
        timer.wakeBy(round.nextDeadlineNs());
    }

    @Override
    public boolean onForwarded(UnsafeBuffer frame, Flow flow) {
        boolean taken = round.offer(frame, flow);
        wake();
        return taken;
    }

    @Override
    public void watch() {
        if (round.isStuck() && thread != null) {
            faults.reportBlocked(thread);
        }
        faults.reportLate();
        wakeUp.repeatLost();
        if (hasEnded()) {
            // The event loop's own notification needs memory, which it may not have had.
            onTermination();
        }
    }

    /** Whether the event loop has no thread any more, in order or because its thread died. Any thread. */
    private boolean hasEnded() {
        Thread last = thread;
        return loop.isTerminated() || last != null && !last.isAlive();
    }

    /** The event loop ended. If the NIC is open the engine fails here, and is polled until everything is flushed. */
    private void onTermination() {
        call(() -> {
            if (state == State.RUNNING) {
                faults.onEnd(new IllegalStateException("the event loop ended while the NIC was open"));
                round.drainBeforeClose();
                state = State.CLOSED;
                closePorts();
            }
            faults.repeatFailure();
        });
    }

    @Override
    public void close() {
        call(() -> {
            if (state != State.CLOSED) {
                boolean wasRunning = state == State.RUNNING;
                state = State.CLOSED;
                timer.cancel();
                if (wasRunning) {
                    round.drainBeforeClose();
                }
                closePorts();
            }
        });
    }

    private void closePorts() {
        fileWriter.close();
        round.closePorts();
    }
}
