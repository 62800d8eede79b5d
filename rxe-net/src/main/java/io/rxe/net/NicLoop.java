package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.MpscArrayQueue;

/**
 * Drives one engine on one event loop.
 *
 * <pre>
 *   readable, wake(), deadline --> turn: | receive a few datagrams -> onPacket | poll | flush | ... until idle --> sleep
 * </pre>
 *
 * <p>Acknowledgements are state of the engine until {@code poll}, so they leave once for each batch received. An idle loop looks for
 * more for a moment and then sleeps until the socket is readable (or writable, when it was full), somebody calls {@link #wake} or the
 * engine's deadline comes; a spinning loop never sleeps. After a bounded number of rounds the event loop gets its turn for commands.
 */
final class NicLoop implements EngineThread {
    private static final VarHandle QUEUED = handle("queued");
    private static final VarHandle COMMANDS = handle("commands");

    /** Received between two polls: enough to spread an acknowledgement, little enough that the sender does not wait for it. */
    private static final int BYTES_PER_ROUND = 1 << 17;
    /** Where the port is polled the event loop is needed for nothing but commands, which end a turn early, and a full socket. */
    private static final int ROUNDS_PER_TURN = 4096;
    /** Where the event loop reads the socket. */
    private static final int ROUNDS_BETWEEN_READS = 64;
    /** A loop that has just been busy looks for more so long before it sleeps: falling asleep and waking up takes as long. */
    private static final long LINGER_NS = 50_000;
    /** So long without work a loop that does not sleep keeps its processor for itself: longer than a round trip. */
    private static final long PATIENT_NS = 10_000;
    private static final int FORWARD_CAPACITY = 4096;
    private static final int FORWARDED_PER_ROUND = 64;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long BLOCKED_PAUSE_NS = 1_000_000;
    /** Before the socket is closed. */
    private static final int FAREWELL_ROUNDS = 100;

    private final int index;
    private final IoEventLoop loop;
    private final UdpPort port;
    private final EpollPacketSink sink;
    private final boolean spinning;
    private final long lingerNs;
    private final NetCounters counters;
    private final Notices notices;
    private final Runnable turnTask = this::turn;
    private final Runnable timerTask = this::onTimer;
    private final MpscArrayQueue<ForwardedFrame> forwarded;
    private EngineCore engine;
    private List<NicLoop> siblings = List.of();
    /** Ports that only receive; replaced as a whole. */
    private UdpPort[] groupPorts = {};
    private long nowNs;
    private ScheduledFuture<?> timer;
    private long timerNs = NEVER;
    private long busyNs;
    private boolean started;
    private boolean closed;

    /** Whether a turn is under way or in the event loop's queue, so that {@link #wake} need not add one. */
    @SuppressWarnings("unused")
    private volatile boolean queued;
    /** Commands on their way; a turn ends early for them. */
    private volatile int commands;

    NicLoop(int index, int engines, IoEventLoop loop, UdpPort port, boolean spin, NetCounters counters, Notices notices) {
        this.index = index;
        this.loop = loop;
        this.port = port;
        this.sink = new EpollPacketSink(port, counters, notices);
        this.spinning = spin && port.isPolled();
        this.lingerNs = port.isPolled() ? LINGER_NS : 0;
        this.counters = counters;
        this.notices = notices;
        this.forwarded = engines > 1 ? new MpscArrayQueue<>(FORWARD_CAPACITY) : null;
    }

    /**
     * Makes the engine known; before any loop of the NIC is started.
     *
     * @param all the loops of the NIC in the order of their engines, this one among them.
     */
    void attach(EngineCore core, List<NicLoop> all) {
        call(() -> {
            engine = core;
            siblings = all;
        });
    }

    /**
     * Begins to drive the engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void start() throws IOException {
        port.start(loop, this::onFrame, this::onReady);
        call(() -> {
            started = true;
            queued = true;
            loop.execute(turnTask);
        });
    }

    /**
     * Serves one more port, which only receives; every frame of it is for this engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void add(UdpPort groupPort) throws IOException {
        groupPort.start(loop, this::onGroupFrame, this::onReady);
        call(() -> {
            groupPorts = Arrays.copyOf(groupPorts, groupPorts.length + 1);
            groupPorts[groupPorts.length - 1] = groupPort;
        });
    }

    /** Closes a port that {@link #add} was called for, whether or not that succeeded. */
    void remove(UdpPort groupPort) {
        call(() -> {
            groupPorts = Arrays.stream(groupPorts).filter(one -> one != groupPort).toArray(UdpPort[]::new);
            groupPort.close();
        });
    }

    @Override
    public void call(Runnable command) {
        if (loop.inEventLoop()) {
            command.run();
            return;
        }
        FutureTask<Void> task = new FutureTask<>(command, null);
        COMMANDS.getAndAdd(this, 1);
        try {
            loop.execute(() -> {
                COMMANDS.getAndAdd(this, -1);
                task.run();
                wake();
            });
        } catch (RejectedExecutionException e) {
            loop.terminationFuture().awaitUninterruptibly();
            runAfterEnd(task);
        }
        finish(task);
    }

    private void finish(FutureTask<Void> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get(100, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    // A loop that ended meanwhile may have left the command in its queue; one that is busy has not.
                    if (loop.isTerminated()) {
                        runAfterEnd(task);
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unchecked(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The loop's thread is gone, the callers take its place one at a time. */
    private synchronized void runAfterEnd(FutureTask<Void> task) {
        task.run();
    }

    private static RuntimeException unchecked(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }

    @Override
    public boolean isCurrent() {
        return loop.inEventLoop();
    }

    @Override
    public void wake() {
        if (spinning) {
            return;
        }
        // What was posted must be visible before the flag is read: the loop clears the flag before it looks for posts.
        VarHandle.fullFence();
        if (!queued && QUEUED.compareAndSet(this, false, true)) {
            try {
                loop.execute(turnTask);
            } catch (RejectedExecutionException e) {
                // The NIC is being closed; nobody will poll any more.
                queued = false;
            }
        }
    }

    private void onReady() {
        if (!spinning) {
            turn();
        }
    }

    private void onTimer() {
        timer = null;
        timerNs = NEVER;
        onReady();
    }

    /** Rounds until idle, or until the event loop should have its turn. */
    private void turn() {
        if (closed || !started) {
            return;
        }
        queued = true;
        boolean lively = true;
        int rounds = port.isPolled() ? ROUNDS_PER_TURN : ROUNDS_BETWEEN_READS;
        int round = 0;
        // Commands end a turn, but only after a round: an application that gives one after the other must not stop the engine.
        do {
            if (round()) {
                busyNs = nowNs;
            } else if (goesOnLooking()) {
                offerProcessor();
            } else {
                lively = false;
            }
            round++;
        } while (round < rounds && lively && commands == 0);
        if (lively || spinning) {
            turnAgain();
        } else {
            sleep();
        }
    }

    /** Whoever posts now finds the flag down and wakes the loop; whoever posted before is seen by the last round. */
    private void sleep() {
        queued = false;
        VarHandle.fullFence();
        if (round() && QUEUED.compareAndSet(this, false, true)) {
            turnAgain();
        } else {
            sleepUntil(engine.nextDeadlineNs());
        }
    }

    private boolean goesOnLooking() {
        return !sink.isBlocked() && (spinning || nowNs - busyNs < lingerNs);
    }

    /**
     * Where more threads poll than there are processors the one that is waited for must get its turn; a polling thread alone on its
     * processor pays a short system call, and only when nothing has come for longer than a round trip. A loop about to sleep must not:
     * behind threads that compute it would lose a time slice for each datagram, and sleepers are woken before those.
     */
    private void offerProcessor() {
        if (nowNs - busyNs > PATIENT_NS) {
            Thread.yield();
        }
    }

    private boolean round() {
        try {
            nowNs = SystemClock.nowNs();
            int work = port.receive(BYTES_PER_ROUND);
            for (UdpPort groupPort : groupPorts) {
                work += groupPort.receive(BYTES_PER_ROUND);
            }
            if (forwarded != null) {
                work += takeForwarded();
            }
            if (work > 0) {
                nowNs = SystemClock.nowNs();
            }
            int polled = engine.poll(nowNs, sink);
            if (polled > 0 && sink.isOpen() && engine.nextDeadlineNs() <= nowNs) {
                // Somebody has more to send at once, and may fill the batch that was begun.
                return true;
            }
            // A full socket reports when it has room again; what poll does meanwhile can wait as well.
            return sink.flush() ? work + polled > 0 : work > 0;
        } catch (RuntimeException | AssertionError e) {
            report(e);
            return false;
        }
    }

    private void turnAgain() {
        if (port.isPolled()) {
            queued = true;
            loop.execute(turnTask);
        } else {
            // A task queued now would run again before the event loop reads the socket; a scheduled one comes after.
            loop.schedule(turnTask, 0, TimeUnit.NANOSECONDS);
        }
    }

    /** A timer that is early does no harm, so one is set only for a deadline before the one that stands. */
    private void sleepUntil(long engineDeadlineNs) {
        // A full socket says itself when it has room; until then the engine's urgent work would only keep the loop running.
        long coreNs = sink.isBlocked() ? Math.max(engineDeadlineNs, nowNs + BLOCKED_PAUSE_NS) : engineDeadlineNs;
        long deadlineNs = Math.min(coreNs, port.nextDeadlineNs());
        for (UdpPort groupPort : groupPorts) {
            deadlineNs = Math.min(deadlineNs, groupPort.nextDeadlineNs());
        }
        if (deadlineNs >= timerNs) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerNs = deadlineNs;
        timer = loop.schedule(timerTask, Math.max(0, deadlineNs - SystemClock.nowNs()), TimeUnit.NANOSECONDS);
    }

    private void onFrame(DirectBuffer buffer, int offset, int lengthBytes, Flow flow) {
        if (forwarded != null && lengthBytes >= Bth.LENGTH) {
            int owner = Bth.destinationQpn(buffer, offset) % siblings.size();
            if (owner != index) {
                counters.count(siblings.get(owner).forward(buffer, offset, lengthBytes, flow)
                    ? NetCounter.FORWARDED_FRAMES : NetCounter.FORWARD_OVERFLOW);
                return;
            }
        }
        engine.onPacket(buffer, offset, lengthBytes, flow, nowNs);
    }

    /** Each engine has a copy of its own: nothing is handed over. */
    private void onGroupFrame(DirectBuffer buffer, int offset, int lengthBytes, Flow flow) {
        engine.onPacket(buffer, offset, lengthBytes, flow, nowNs);
    }

    /** Takes a frame for this engine from another loop's thread. Steering by the kernel makes this rare, so it may allocate. */
    private boolean forward(DirectBuffer buffer, int offset, int lengthBytes, Flow flow) {
        byte[] copy = new byte[lengthBytes];
        buffer.getBytes(offset, copy);
        boolean taken = forwarded.offer(new ForwardedFrame(new UnsafeBuffer(copy), flow));
        wake();
        return taken;
    }

    private int takeForwarded() {
        int taken = 0;
        ForwardedFrame frame = forwarded.poll();
        while (frame != null) {
            engine.onPacket(frame.buffer(), 0, frame.buffer().capacity(), frame.flow(), nowNs);
            frame = ++taken < FORWARDED_PER_ROUND ? forwarded.poll() : null;
        }
        return taken;
    }

    /** Sends what the engine has to send, as far as the socket takes it, and closes the socket. The event loop is its owner's to end. */
    void close() {
        call(() -> {
            if (!closed) {
                closed = true;
                if (timer != null) {
                    timer.cancel(false);
                }
                if (started) {
                    sayFarewell();
                }
                port.close();
                for (UdpPort groupPort : groupPorts) {
                    groupPort.close();
                }
            }
        });
    }

    /** The last rounds: peers of connection management hear of the end. Bounded, since a peer may go on and a socket stay full. */
    private void sayFarewell() {
        for (int round = 0; round < FAREWELL_ROUNDS && (round() || sink.isBlocked()); round++) {
            if (sink.isBlocked()) {
                LockSupport.parkNanos(BLOCKED_PAUSE_NS);
            }
        }
    }

    NetCounters counters() {
        return counters;
    }

    private void report(Throwable fault) {
        StringWriter trace = new StringWriter();
        fault.printStackTrace(new PrintWriter(trace));
        notices.once(fault.getClass().getName(), "engine " + index + " met an error of its own, please report it: " + trace);
    }

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(NicLoop.class, field, "queued".equals(field) ? boolean.class
                : int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A frame on its way from one engine's thread to another's. */
    private record ForwardedFrame(UnsafeBuffer buffer, Flow flow) {
    }
}
