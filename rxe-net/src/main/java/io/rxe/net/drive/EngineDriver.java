package io.rxe.net.drive;

import io.netty.channel.IoEventLoop;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.DrivenEngine;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.Progress;
import io.rxe.ring.StackRoom;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Drives one engine of a NIC. Whoever drives it owns it: its event loop, where it has one, or a thread that polls or gives a command.
 *
 * <pre>
 *   event loop (EngineLoop) -----------------run-\
 *   thread that polls an empty queue --progress---> owner of the engine: {@link Iteration}s and commands, then nobody
 *   thread with a command ---------------call----/
 * </pre>
 *
 * <p>{@link EngineOwnership} says who owns it, {@link Progress} who may: with THREAD only the loop, which keeps the engine; with MANUAL
 * there is no loop. An owner that is lost (its thread ended within the engine) is replaced by whoever notices, the watchdog at the
 * latest, and the engine fails. Any thread may call.
 */
public final class EngineDriver implements EngineThread {
    /** How long a wait polls before it naps between two polls, and how long a nap is. */
    private static final long SPIN_NS = 1_000_000;
    private static final long NAP_NS = 50_000;

    /**
     * What one driver is to do.
     *
     * @param index    of the engine in its NIC, from 0.
     * @param engines  of the NIC.
     * @param progress who drives the engine.
     * @param spin     whether the loop never sleeps; only with {@link Progress#THREAD}.
     */
    public record Settings(int index, int engines, Progress progress, boolean spin) {
    }

    final EngineOwnership ownership = new EngineOwnership();
    private final Settings settings;
    private final EngineCommands commands = new EngineCommands(ownership, this::wake, this::rescue);
    private final LoopFaults faults;
    private final Iteration iteration;
    private final FileWriter fileWriter;
    private final ListenerWatch listeners;
    private final Runnable endLate = this::endLate;
    /** Null where the NIC has no thread. */
    private final EngineLoop loop;
    /** Of the NIC; set before the engine runs. */
    private volatile NicUpkeep upkeep;

    /** @param eventLoop of this engine alone; not used where the settings want no thread. */
    public EngineDriver(Settings settings, IoEventLoop eventLoop, UdpPort port, NetCounters counters, FrameVerdict verdict,
                        Warnings warnings) {
        this.settings = settings;
        this.faults = new LoopFaults(settings.index, warnings, settings.progress != Progress.THREAD);
        this.iteration = new Iteration(settings, port, counters, verdict, warnings, faults, SystemClock::nowNs);
        this.listeners = new ListenerWatch(settings.index, warnings);
        this.fileWriter = new FileWriter("rxe-file-writer-" + settings.index);
        this.loop = settings.progress == Progress.MANUAL ? null : new EngineLoop(eventLoop, settings.progress == Progress.POLLING,
            !settings.spin, ownership, iteration, commands, faults);
    }

    /**
     * Sets the engine; before any driver of the NIC is started.
     *
     * @param all the drivers of the NIC in the order of their engines, this one among them.
     */
    public void attach(DrivenEngine engine, List<EngineDriver> all, NicUpkeep ofNic) {
        upkeep = ofNic;
        call(() -> {
            faults.restoreCountersWith(ofNic.counterFaults());
            iteration.attach(engine, all);
        });
    }

    /** @throws IOException if the event loop refuses the socket. */
    public void start() throws IOException {
        iteration.start(eventLoop(), this::onReady);
        call(ownership::begin);
        if (loop != null) {
            loop.eventLoop().terminationFuture().addListener(ended -> onTermination());
            loop.eventLoop().execute(TimerSlack::end);
            loop.start();
        }
    }

    private IoEventLoop eventLoop() {
        return loop == null ? null : loop.eventLoop();
    }

    /** Without a loop, nobody notifies of readiness. */
    private void onReady() {
        loop.onReady();
    }

    /**
     * Serves one more port, which only receives; every frame of it is for this engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    public void add(UdpPort groupPort) throws IOException {
        iteration.start(groupPort, eventLoop(), this::onReady);
        call(() -> iteration.add(groupPort));
    }

    /** Closes a port that {@link #add} was called for, whether or not that succeeded. */
    public void remove(UdpPort groupPort) {
        call(() -> iteration.remove(groupPort));
    }

    @Override
    public Progress mode() {
        return settings.progress;
    }

    @Override
    public boolean progress() {
        if (settings.progress == Progress.THREAD) {
            return false;
        }
        StackRoom.require();
        if (!ownership.tryAcquire()) {
            onTaken();
            return false;
        }
        boolean busy = false;
        boolean left = false;
        long polledNs = Long.MIN_VALUE;
        try {
            ownership.onPollBegins();
            commands.runNext();
            if (ownership.isRunning()) {
                busy = iteration.iterate();
                polledNs = iteration.nowNs();
                ownership.onPolled(polledNs);
                // This thread may never poll again: then the loop fills the batch that was begun, and sends the rest.
                if (loop == null) {
                    iteration.flush();
                } else {
                    loop.onPolled(busy);
                }
            }
            iteration.rest();
            ownership.release();
            left = true;
        } finally {
            if (!left) {
                // No call, which the stack might have no room for.
                ownership.polling = false;
                ownership.owner = null;
            }
        }
        if (loop == null) {
            upkeep.onProgress(polledNs);
        }
        return busy;
    }

    /** Another thread has the engine, perhaps one that ended; or the caller itself, in a listener. */
    private void onTaken() {
        if (!ownership.isHeld()) {
            if (loop == null) {
                upkeep.onProgress(SystemClock.nowNs());
            } else {
                ownership.contend();
            }
        }
    }

    @Override
    public void onPollingEnds() {
        if (loop != null) {
            loop.onPollingEnds();
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
        commands.call(command);
    }

    /** The owner iterates, which may be the caller itself: nobody else might. */
    @Override
    public void awaitIteration() {
        call(() -> {
            if (ownership.isRunning()) {
                iteration.iterate();
                iteration.flush();
                iteration.rest();
            }
        });
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
        if (loop != null) {
            loop.wake();
        }
    }

    @Override
    public void offload(Runnable work) {
        fileWriter.execute(work);
    }

    /** Queues a frame for this engine, on another engine's thread; false when the queue is full. */
    boolean onForwarded(UnsafeBuffer frame, Flow flow) {
        boolean taken = iteration.offer(frame, flow);
        wake();
        return taken;
    }

    /** Checks the engine from outside; on the watchdog's thread. */
    void watch() {
        faults.reportLate();
        if (iteration.isUnhandled()) {
            wake();
        }
        if (loop != null) {
            loop.watch();
        }
        if (loop != null && loop.hasEnded()) {
            // The event loop's own notification needs memory, which it may not have had.
            onTermination();
        } else {
            rescue();
        }
        // Last: its stack traces and sentences need memory, which those above must do without.
        listeners.look(iteration.number(), ownership.owner(), SystemClock.nowNs());
    }

    /** Takes the engine from an owner that will never give it back, and fails it. */
    private void rescue() {
        Thread owner = ownership.owner();
        if (owner != null && isLost(owner) && ownership.takeFrom(owner)) {
            try {
                commands.abandon();
                fail(loop != null && loop.isThread(owner) ? "the event loop ended while the NIC was open"
                    : "thread " + owner.getName() + " ended while it drove the engine");
            } finally {
                iteration.rest();
                ownership.release();
            }
            wake();
        }
    }

    private boolean isLost(Thread owner) {
        return !owner.isAlive() || loop != null && loop.isThread(owner) && loop.hasEnded();
    }

    /** The event loop ended. If the NIC is open the engine fails here. */
    private void onTermination() {
        rescue();
        try {
            call(() -> {
                fail("the event loop ended while the NIC was open");
                faults.repeatFailure();
            });
        } catch (IllegalStateException e) {
            // Held by a listener while the NIC is closed: see endLate.
            return;
        }
    }

    /** As the owner. An engine without its loop is polled here until everything is flushed. */
    private void fail(String why) {
        if (ownership.isRunning()) {
            faults.onEnd(new IllegalStateException(why));
            if (loop != null && loop.hasEnded()) {
                close();
            }
        }
    }

    /** The NIC is being closed: a call waits two seconds at most for an owner that is stuck, and names it then. */
    public void limitWaits() {
        commands.limitWaits(iteration::number, () -> {
            Thread owner = ownership.owner();
            return "engine " + settings.index + " is held by " + (owner == null ? "nobody any more" : ListenerWatch.describe(owner));
        });
    }

    /**
     * Sends what the engine still has to send, unless the socket stays full, and closes the socket. Its owner ends the event loop.
     *
     * @throws IllegalStateException if a listener keeps the engine, see {@link #limitWaits}: the socket is closed when it returns.
     */
    public void close() {
        try {
            call(this::end);
        } catch (IllegalStateException e) {
            commands.later(this::end);
            Watchdog.watch(endLate);
            throw e;
        }
    }

    private void end() {
        if (ownership.isRunning()) {
            iteration.drainBeforeClose();
        }
        if (!ownership.isClosed()) {
            ownership.end();
            fileWriter.close();
            iteration.closePorts();
        }
    }

    /** Where an engine could not be ended, until it is, if its owner does not; on the watchdog's thread. */
    private void endLate() {
        rescue();
        if (ownership.tryAcquire()) {
            try {
                end();
            } finally {
                ownership.release();
            }
        }
        if (ownership.isClosed()) {
            Watchdog.forget(endLate);
        }
    }
}
