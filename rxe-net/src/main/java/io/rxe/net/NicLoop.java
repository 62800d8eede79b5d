package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.EpollPacketSink;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
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
final class NicLoop implements EngineThread {
    /** Received between two polls: enough to acknowledge many packets at once, little enough that the sender does not stall. */
    private static final int BYTES_PER_ITERATION = 1 << 17;
    /** Where the port is polled: the event loop is needed only for commands, which end a run early, and for a full socket. */
    private static final int ITERATIONS_PER_RUN = 4096;
    /** Where the event loop reads the socket. */
    private static final int ITERATIONS_BETWEEN_READS = 64;
    /** How long an idle loop polls before it sleeps: about as long as falling asleep and waking up. */
    private static final long SPIN_NS = 50_000;
    /** How long an idle loop polls before it yields its CPU: longer than a round trip. */
    private static final long YIELD_AFTER_NS = 10_000;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long BLOCKED_PAUSE_NS = 1_000_000;
    /** Most iterations before the socket is closed. */
    private static final int CLOSING_ITERATIONS = 100;
    /** Ticks of the watchdog within one iteration after which the loop counts as blocked. */
    private static final int BLOCKED_TICKS = 2;

    private enum State {
        NEW, RUNNING, CLOSED
    }

    private final IoEventLoop loop;
    private final UdpPort port;
    private final EpollPacketSink sink;
    private final NetCounters counters;
    private final LoopFaults faults;
    private final LoopCommands commands;
    private final LoopTimer timer;
    private final FileWriter fileWriter;
    /** Null where the NIC has one engine. */
    private final FrameForwarding forwarding;
    private final Runnable runTask = this::run;
    private final FrameReceiver delivery = this::deliver;
    /** How long it polls while idle; {@link #NEVER} for a loop that never sleeps. */
    private final long spinNs;
    private EngineCore engine;
    /** Ports that only receive; replaced as a whole. */
    private UdpPort[] groupPorts = {};
    private State state = State.NEW;
    private long nowNs;
    private long busyNs;
    /** Whether a run is in progress or in the event loop's queue, so that {@link #wake} need not add one. */
    private final AtomicBoolean queued = new AtomicBoolean();
    /** Whether a wake-up was lost for want of memory; the watchdog repeats it. */
    private volatile boolean wakeLost;
    /** Number of the present iteration, 0 while the loop sleeps; for the watchdog. */
    private final AtomicLong iteration = new AtomicLong();
    private long iterations;
    private volatile Thread thread;
    private long watchedIteration;
    private int watchedTicks;

    NicLoop(int index, int engines, IoEventLoop loop, UdpPort port, boolean spin, NetCounters counters, Warnings warnings) {
        this.loop = loop;
        this.port = port;
        this.sink = new EpollPacketSink(port, counters, warnings);
        this.counters = counters;
        this.faults = new LoopFaults(index, warnings);
        this.commands = new LoopCommands(loop, this::wake, this::hasEnded);
        this.timer = new LoopTimer(loop, this::onReady);
        this.fileWriter = new FileWriter("rxe-file-writer-" + index);
        this.forwarding = engines > 1 ? new FrameForwarding(index, counters) : null;
        this.spinNs = !port.isPolled() ? 0 : spin ? NEVER : SPIN_NS;
    }

    /**
     * Sets the engine; before any loop of the NIC is started.
     *
     * @param all the loops of the NIC in the order of their engines, this one among them.
     */
    void attach(EngineCore core, List<NicLoop> all) {
        call(() -> {
            engine = core;
            thread = Thread.currentThread();
            faults.attach(core);
            sink.onFailedSend(this::onFailedSend);
            if (forwarding != null) {
                forwarding.connect(all);
            }
        });
    }

    /** Sets what restores a truncated counter file, and returns whether it was truncated; before {@link #start}. */
    void restoreCountersWith(BooleanSupplier restore) {
        call(() -> faults.restoreCountersWith(restore));
    }

    /**
     * Begins to drive the engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void start() throws IOException {
        port.start(loop, this::onFrame, this::onReady);
        loop.terminationFuture().addListener(ended -> onTermination());
        call(() -> {
            if (state == State.NEW) {
                state = State.RUNNING;
                queued.set(true);
                loop.execute(runTask);
            }
        });
    }

    /**
     * Serves one more port, which only receives; every frame of it is for this engine.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void add(UdpPort groupPort) throws IOException {
        groupPort.start(loop, delivery, this::onReady);
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
        if (isSpinning()) {
            return;
        }
        // What was posted must be visible before the flag is read: the loop clears the flag before its last poll for posts.
        VarHandle.fullFence();
        if (!queued.get() && queued.compareAndSet(false, true)) {
            try {
                loop.execute(runTask);
            } catch (RejectedExecutionException e) {
                // The NIC is being closed and polls no more.
                queued.set(false);
            } catch (Error e) {
                // Without memory; the first use of code can throw another Error then.
                queued.set(false);
                wakeLost = true;
            }
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
                arranged = arrangeWithoutMemory();
            }
        }
    }

    /** Queues the next run where there may be no memory for a timer. It does not wait, but other tasks of the event loop run before. */
    private boolean arrangeWithoutMemory() {
        try {
            queued.set(true);
            loop.execute(runTask);
            return true;
        } catch (Throwable fault) {
            return loop.isShuttingDown();
        }
    }

    /** Iterates until idle, or until the event loop should run its other tasks. */
    private void iterateWhileBusy() {
        queued.set(true);
        boolean polling = true;
        int most = port.isPolled() ? ITERATIONS_PER_RUN : ITERATIONS_BETWEEN_READS;
        int done = 0;
        // Commands end a run, but only after an iteration: an application that calls one after the other must not stop the engine.
        do {
            if (iterate()) {
                busyNs = nowNs;
            } else if (keepPolling()) {
                yieldCpu();
            } else {
                polling = false;
            }
            done++;
        } while (done < most && polling && !commands.isPending());
        if (polling || isSpinning()) {
            runAgain();
        } else {
            sleep();
        }
    }

    /** Clears the flag before a last iteration: that iteration polls earlier posts, and the thread of a later post wakes the loop. */
    private void sleep() {
        queued.set(false);
        VarHandle.fullFence();
        if (iterate() && queued.compareAndSet(false, true)) {
            runAgain();
        } else {
            sleepUntil(engine.nextDeadlineNs());
            iteration.lazySet(0);
        }
    }

    private boolean keepPolling() {
        return !sink.isBlocked() && nowNs - busyNs < spinNs;
    }

    /**
     * Yields the CPU when idle for longer than a round trip, so that with more spinning threads than CPUs the thread we wait for can
     * run. Costs a short system call where no other thread wants the CPU. A loop about to sleep does not yield: behind threads that
     * compute it would lose a timeslice for each datagram, while the scheduler runs a thread that wakes up before those.
     */
    private void yieldCpu() {
        if (nowNs - busyNs > YIELD_AFTER_NS) {
            Thread.yield();
        }
    }

    /** Receives, polls and sends once, and returns whether there was anything to do. */
    private boolean iterate() {
        iteration.lazySet(++iterations);
        boolean inEngine = false;
        try {
            nowNs = SystemClock.nowNs();
            int work = receive();
            if (work > 0) {
                nowNs = SystemClock.nowNs();
            }
            inEngine = true;
            int polled = engine.poll(nowNs, sink);
            boolean hasMore = polled > 0 && sink.isOpen() && engine.nextDeadlineNs() <= nowNs;
            inEngine = false;
            // A queue pair that has more to send at once may fill the batch that was begun. A full socket reports when it has room again;
            // until then work of poll does not keep the loop running.
            boolean busy = hasMore || (sink.flush() ? work + polled > 0 : work > 0);
            counters.publish();
            faults.onGoodIteration();
            return busy;
        } catch (Throwable fault) {
            return inEngine ? faults.onEngine(fault) : faults.onPort(fault);
        }
    }

    private int receive() {
        int work = port.receive(BYTES_PER_ITERATION);
        for (UdpPort groupPort : groupPorts) {
            work += groupPort.receive(BYTES_PER_ITERATION);
        }
        if (forwarding != null) {
            work += forwarding.receive(delivery);
        }
        return work;
    }

    private void runAgain() {
        LoopFaults.deliverPending();
        if (port.isPolled()) {
            queued.set(true);
            loop.execute(runTask);
        } else {
            // A task queued now would run again before the event loop reads the socket; a scheduled one comes after.
            loop.schedule(runTask, 0, TimeUnit.NANOSECONDS);
        }
    }

    private void sleepUntil(long engineDeadlineNs) {
        LoopFaults.deliverPending();
        // A full socket reports when it has room; until then the engine's urgent work would only keep the loop running.
        long coreNs = sink.isBlocked() ? Math.max(engineDeadlineNs, nowNs + BLOCKED_PAUSE_NS) : engineDeadlineNs;
        long deadlineNs = Math.min(coreNs, port.nextDeadlineNs());
        for (UdpPort groupPort : groupPorts) {
            deadlineNs = Math.min(deadlineNs, groupPort.nextDeadlineNs());
        }
        timer.wakeBy(deadlineNs);
    }

    private void onFailedSend(Flow flow, SendStatus status) {
        String why = switch (status) {
            case NO_ROUTE -> "there is no route to it: see `ip route get`";
            case NOT_PERMITTED -> "a firewall rule of this host rejects it: allow UDP port " + flow.destinationPort() + " out";
            case INVALID -> "this NIC's address cannot reach it: bind the NIC to an address of the interface that leads there";
            case SENT, BUSY, SEGMENTATION_REFUSED, FAILED -> null;
        };
        if (why != null) {
            engine.onSendFailed(flow.destination(), why);
        }
    }

    private void onFrame(DirectBuffer buffer, int offset, int lengthBytes, Flow flow) {
        if (forwarding == null || !forwarding.forward(buffer, offset, lengthBytes, flow)) {
            deliver(buffer, offset, lengthBytes, flow);
        }
    }

    /** Delivers a frame that is for this engine: of a multicast group each engine has its own copy. */
    private void deliver(DirectBuffer buffer, int offset, int lengthBytes, Flow flow) {
        try {
            engine.onPacket(buffer, offset, lengthBytes, flow, nowNs);
        } catch (Throwable fault) {
            // Here, so that the other frames of a batch are delivered, and no error reaches Netty, which would drop it.
            faults.onEngine(fault);
        }
    }

    /** Queues a frame for this engine, on another loop's thread; false when the queue is full. */
    boolean onForwarded(UnsafeBuffer frame, Flow flow) {
        boolean taken = forwarding.offer(frame, flow);
        wake();
        return taken;
    }

    /** Checks the loop from outside; on the watchdog's thread. */
    void watch() {
        long current = iteration.get();
        watchedTicks = current != 0 && current == watchedIteration ? watchedTicks + 1 : 0;
        watchedIteration = current;
        if (watchedTicks == BLOCKED_TICKS && thread != null) {
            faults.reportBlocked(thread);
        }
        faults.reportLate();
        if (wakeLost) {
            wakeLost = false;
            wake();
        }
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
                drainBeforeClose();
                state = State.CLOSED;
                closePorts();
            }
            faults.repeatFailure();
        });
    }

    /** Sends what the engine still has to send, unless the socket stays full, and closes the socket. Its owner ends the event loop. */
    void close() {
        call(() -> {
            if (state != State.CLOSED) {
                boolean wasRunning = state == State.RUNNING;
                state = State.CLOSED;
                timer.cancel();
                if (wasRunning) {
                    drainBeforeClose();
                }
                closePorts();
            }
        });
    }

    private void closePorts() {
        fileWriter.close();
        closePort(port);
        for (UdpPort groupPort : groupPorts) {
            closePort(groupPort);
        }
    }

    private void closePort(UdpPort one) {
        try {
            one.close();
        } catch (Throwable fault) {
            // The others must be closed too.
            faults.onPort(fault);
        }
    }

    /** Connection management notifies its peers in these iterations. Bounded, because a peer may keep sending and a socket stay full. */
    private void drainBeforeClose() {
        for (int done = 0; done < CLOSING_ITERATIONS && (iterate() || sink.isBlocked()); done++) {
            if (sink.isBlocked()) {
                LockSupport.parkNanos(BLOCKED_PAUSE_NS);
            }
        }
    }
}
