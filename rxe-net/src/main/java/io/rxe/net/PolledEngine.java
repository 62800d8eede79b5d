package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.port.Progress;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An engine that the threads drive which poll its completion queues; its own event loop, where it has one, does while nobody polls.
 *
 * <pre>
 *   thread that polls an empty queue --progress--\
 *   thread with a command ---------------call-----> owner of the engine for one iteration or command, then nobody
 *   event loop (FallbackLoop) ---------------run-/
 * </pre>
 *
 * <p>{@link EngineOwnership} says who owns it. Any thread may call.
 */
final class PolledEngine implements EngineDriver {
    /** How long a wait polls before it naps between two polls, and how long a nap is. */
    private static final long SPIN_NS = 1_000_000;
    private static final long NAP_NS = 50_000;

    private enum State {
        NEW, RUNNING, CLOSED
    }

    private final EngineOwnership ownership = new EngineOwnership();
    private final OwnerCommands commands = new OwnerCommands(ownership);
    private final LoopFaults faults;
    private final EngineRound round;
    private final FileWriter fileWriter;
    /** Null where the NIC has no thread. */
    private final FallbackLoop fallback;
    /** Null where a watchdog watches the NIC. */
    private final LongConsumer upkeep;
    /** Belongs to the owner. */
    private State state = State.NEW;

    /**
     * @param loop   drives the engine while nobody polls; null for none.
     * @param upkeep is called with the time after each iteration, without the engine; null for none. Must not throw.
     */
    PolledEngine(int index, int engines, IoEventLoop loop, UdpPort port, NetCounters counters, Warnings warnings, LongConsumer upkeep) {
        this.upkeep = upkeep;
        this.faults = new LoopFaults(index, warnings, true);
        this.round = new EngineRound(index, engines, port, counters, warnings, faults);
        this.fileWriter = new FileWriter("rxe-file-writer-" + index);
        this.fallback = loop == null ? null : new FallbackLoop(loop, ownership, round, commands, faults);
    }

    private IoEventLoop loop() {
        return fallback == null ? null : fallback.loop();
    }

    /** Without a loop, nobody notifies of readiness. */
    private Runnable onReady() {
        return fallback == null ? () -> { } : fallback.onReady();
    }

    @Override
    public void attach(EngineCore core, List<? extends EngineDriver> all) {
        commands.call(() -> round.attach(core, all));
    }

    @Override
    public void restoreCountersWith(BooleanSupplier restore) {
        commands.call(() -> faults.restoreCountersWith(restore));
    }

    @Override
    public void start() throws IOException {
        round.start(loop(), onReady());
        if (fallback != null) {
            fallback.loop().terminationFuture().addListener(ended -> onTermination());
        }
        commands.call(() -> {
            if (state == State.NEW) {
                state = State.RUNNING;
            }
        });
        if (fallback != null) {
            fallback.start();
        }
    }

    @Override
    public void add(UdpPort groupPort) throws IOException {
        round.start(groupPort, loop(), onReady());
        call(() -> round.add(groupPort));
    }

    @Override
    public void remove(UdpPort groupPort) {
        call(() -> round.remove(groupPort));
    }

    @Override
    public Progress mode() {
        return fallback == null ? Progress.MANUAL : Progress.POLLING;
    }

    @Override
    public boolean progress() {
        if (!ownership.tryAcquire()) {
            ownership.contend();
            return false;
        }
        boolean busy = false;
        long polledNs = Long.MIN_VALUE;
        try {
            ownership.onPollBegins();
            commands.runQueued();
            if (state == State.RUNNING) {
                busy = round.iterate();
                polledNs = round.nowNs();
                ownership.onPolled(polledNs);
                // This thread may never poll again: then the loop fills the batch that was begun, and sends the rest.
                if (fallback == null) {
                    round.flush();
                } else {
                    fallback.onPolled(busy);
                }
            }
        } finally {
            round.rest();
            ownership.release();
        }
        if (upkeep != null) {
            upkeep.accept(polledNs);
        }
        return busy;
    }

    @Override
    public void onPollingEnds() {
        if (fallback != null) {
            fallback.onPollingEnds();
        }
    }

    @Override
    public boolean await(BooleanSupplier condition, BooleanSupplier progress, long timeoutNs) throws InterruptedException {
        long beganNs = SystemClock.nowNs();
        long busyNs = beganNs;
        while (true) {
            boolean busy = progress.getAsBoolean();
            if (condition.getAsBoolean()) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long nowNs = SystemClock.nowNs();
            if (nowNs - beganNs >= timeoutNs) {
                return false;
            }
            busyNs = busy ? nowNs : busyNs;
            if (nowNs - busyNs > SPIN_NS) {
                LockSupport.parkNanos(NAP_NS);
            } else if (!busy) {
                Thread.yield();
            }
        }
    }

    @Override
    public void call(Runnable command) {
        try {
            commands.call(command);
        } finally {
            wake();
        }
    }

    /** The caller iterates itself: nobody else might. */
    @Override
    public void awaitIteration() {
        commands.call(() -> {
            if (state == State.RUNNING) {
                round.iterate();
                round.flush();
                round.rest();
            }
        });
        wake();
    }

    @Override
    public boolean isCurrent() {
        return ownership.isHeld();
    }

    @Override
    public boolean wouldBlock() {
        return ownership.isHeld();
    }

    @Override
    public void report(String where, Throwable fault) {
        faults.onHandled(where, fault);
    }

    @Override
    public void wake() {
        if (fallback != null) {
            fallback.wake();
        }
    }

    @Override
    public void offload(Runnable work) {
        fileWriter.execute(work);
    }

    @Override
    public boolean onForwarded(UnsafeBuffer frame, Flow flow) {
        boolean taken = round.offer(frame, flow);
        wake();
        return taken;
    }

    @Override
    public void watch() {
        Thread owner = ownership.owner();
        if (round.isStuck() && owner != null) {
            faults.reportBlocked(owner);
        }
        faults.reportLate();
        if (fallback != null) {
            fallback.watch();
            if (fallback.hasEnded()) {
                onTermination();
            }
        }
    }

    /** The event loop ended. If the NIC is open the engine fails here, and is polled until everything is flushed. */
    private void onTermination() {
        commands.call(() -> {
            if (state == State.RUNNING) {
                faults.onEnd(new IllegalStateException("the event loop ended while the NIC was open"));
                end();
            }
            faults.repeatFailure();
        });
    }

    @Override
    public void close() {
        commands.call(() -> {
            if (state == State.RUNNING) {
                end();
            } else if (state == State.NEW) {
                state = State.CLOSED;
                closePorts();
            }
        });
    }

    private void end() {
        round.drainBeforeClose();
        state = State.CLOSED;
        if (fallback != null) {
            fallback.end();
        }
        closePorts();
    }

    private void closePorts() {
        fileWriter.close();
        round.closePorts();
    }
}
