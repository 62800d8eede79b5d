package io.rxe.net.drive;

import io.netty.channel.IoEventLoop;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.EpollPacketSink;
import io.rxe.port.DrivenEngine;
import io.rxe.port.Flow;
import io.rxe.time.HostDelay;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One engine with its sockets: an iteration receives, polls and sends. Belongs to the owner of the engine, except where noted. Whatever is
 * thrown, {@link LoopFaults} decides about it.
 *
 * <p>Acknowledgements are state of the engine until {@code poll}, so one leaves for each batch received.
 */
final class Iteration {
    /** Received between two polls: enough to acknowledge many packets at once, little enough that the sender does not stall. */
    private static final int BYTES_PER_ITERATION = 1 << 17;
    /**
     * A thread that did not receive for so long may find a timer expired whose response waits in the socket. Shorter than the time to a
     * probe.
     */
    private static final long STALL_NS = 200_000;
    /** A thread that did not receive for so long, and did not sleep, is counted: the earliest time to a peer's probe. */
    private static final long COUNTED_STALL_NS = 300_000;
    /** Most receives after a stall before responses and acknowledgements leave. */
    private static final int MAX_CATCH_UPS = 8;
    /** Packets of an iteration that took longer may have left late. */
    private static final long LONG_NS = 100_000;
    private static final long BLOCKED_PAUSE_NS = 1_000_000;
    /** How long a thread that sleeps may take to run again once its socket wakes it. */
    private static final long WAKE_UP_NS = 250_000;
    /** Most iterations before the socket is closed. */
    private static final int CLOSING_ITERATIONS = 100;

    private final UdpPort port;
    private final EpollPacketSink sink;
    private final NetCounters counters;
    private final LoopFaults faults;
    /** Null where the NIC has one engine. */
    private final FrameForwarding forwarding;
    private final FrameReceiver delivery = this::deliver;
    private final LongSupplier clock;
    private final FrameVerdict verdict;
    private DrivenEngine engine;
    private HostDelay hostDelay;
    /** Ports that only receive; replaced as a whole. */
    private UdpPort[] groupPorts = {};
    private long nowNs;
    /** When the latest iteration began to send. */
    private long polledNs;
    /** When the latest iteration began to receive. */
    private long receivedNs;
    /** When a receive that left nothing in the sockets began. */
    private long emptiedNs;
    /** The owner went to sleep after an iteration: the sockets wake it. */
    private boolean isAsleep;
    /** Number of the present iteration, 0 while nobody iterates; for the watchdog. */
    private final AtomicLong iteration = new AtomicLong();
    private long iterations;
    /** What ended an iteration, until it is handled: where the handler throws too, for want of stack, the next owner handles it. */
    private volatile Throwable unhandled;

    /** @param clock nanoseconds since any origin; never goes back. */
    Iteration(EngineDriver.Settings settings, UdpPort port, NetCounters counters, FrameVerdict verdict, Warnings warnings,
              LoopFaults faults, LongSupplier clock) {
        this.clock = clock;
        this.verdict = verdict;
        this.port = port;
        this.sink = new EpollPacketSink(port, counters, warnings);
        this.counters = counters;
        this.faults = faults;
        this.forwarding = settings.engines() > 1 ? new FrameForwarding(settings.index(), counters) : null;
    }

    /** Sets the engine, and the drivers of all engines of the NIC in their order. */
    void attach(DrivenEngine driven, List<EngineDriver> all) {
        engine = driven;
        hostDelay = driven.hostDelay();
        faults.attach(driven);
        sink.onFailedSend(this::onFailedSend);
        if (forwarding != null) {
            forwarding.connect(all);
        }
    }

    /** Has an event loop serve the socket; on any thread, before the first iteration. */
    void start(IoEventLoop loop, Runnable onReady) throws IOException {
        port.start(loop, this::onFrame, onReady);
    }

    /** Has an event loop serve one more port, of which every frame is for this engine; on any thread, before {@link #add}. */
    void start(UdpPort groupPort, IoEventLoop loop, Runnable onReady) throws IOException {
        groupPort.start(loop, delivery, onReady);
    }

    /** Receives from one more port. */
    void add(UdpPort groupPort) {
        groupPorts = Arrays.copyOf(groupPorts, groupPorts.length + 1);
        groupPorts[groupPorts.length - 1] = groupPort;
    }

    /** Closes a port that {@link #add} was called for, or not. */
    void remove(UdpPort groupPort) {
        groupPorts = Arrays.stream(groupPorts).filter(one -> one != groupPort).toArray(UdpPort[]::new);
        groupPort.close();
    }

    /** Receives, polls and sends once, and returns whether there was anything to do. */
    boolean iterate() {
        boolean rested = iteration.getPlain() == 0;
        iteration.lazySet(++iterations);
        boolean inEngine = unhandled != null;
        try {
            if (inEngine) {
                throw unhandled;
            }
            long beforeNs = receivedNs;
            nowNs = clock.getAsLong();
            if (faults.isPausing(nowNs)) {
                return false;
            }
            receivedNs = nowNs;
            if (!rested && nowNs - beforeNs >= COUNTED_STALL_NS) {
                counters.count(NetCounter.ENGINE_STALLS);
            }
            if (nowNs - beforeNs > STALL_NS) {
                port.lookEverywhere();
            }
            if (!rested && nowNs - polledNs >= LONG_NS) {
                hostDelay.onLongIteration(polledNs, nowNs);
            }
            if (isAsleep) {
                isAsleep = false;
                emptiedNs = Math.max(emptiedNs, nowNs - WAKE_UP_NS);
            }
            long waitingFromNs = emptiedNs;
            hostDelay.onReceive(nowNs - waitingFromNs);
            int work = receive();
            if (work > 0) {
                nowNs = clock.getAsLong();
                hostDelay.onReceive(nowNs - waitingFromNs);
                if (nowNs - beforeNs > STALL_NS) {
                    work += catchUp();
                }
            }
            polledNs = nowNs;
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
            unhandled = fault;
            boolean goesOn = inEngine ? faults.onEngine(fault) : faults.onPort(fault);
            unhandled = null;
            return goesOn;
        }
    }

    /** Sends a batch that was begun: nobody may iterate again. */
    void flush() {
        try {
            sink.flush();
        } catch (Throwable fault) {
            faults.onPort(fault);
        }
    }

    /** The owner sleeps, and the sockets wake it: what arrives next has not waited for all that time. */
    void onSleep() {
        isAsleep = true;
    }

    /** Nobody iterates from now on. */
    void rest() {
        iteration.lazySet(0);
    }

    /** The time of the last iteration. */
    long nowNs() {
        return nowNs;
    }

    boolean isBlocked() {
        return sink.isBlocked();
    }

    private int receive() {
        int work = port.receive(BYTES_PER_ITERATION);
        boolean hasMore = port.hasMore();
        for (UdpPort groupPort : groupPorts) {
            work += groupPort.receive(BYTES_PER_ITERATION);
            hasMore |= groupPort.hasMore();
        }
        if (forwarding != null) {
            work += forwarding.receive(delivery);
        }
        if (!hasMore) {
            emptiedNs = receivedNs;
        }
        return work;
    }

    /**
     * This thread did not receive for a while: it was not scheduled, or slept. Before a timer is judged by the time that has passed,
     * receives what has arrived meanwhile, until a receive finds nothing; the time stays that before it. Returns the datagrams.
     */
    private int catchUp() {
        int work = 0;
        for (int done = 0; done < MAX_CATCH_UPS && engine.nextTimerNs() <= nowNs; done++) {
            port.lookEverywhere();
            int more = receive();
            if (more == 0) {
                break;
            }
            work += more;
            nowNs = clock.getAsLong();
        }
        return work;
    }

    /** When to iterate at the latest, even if nothing arrives; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        if (faults.isPausing(nowNs)) {
            return faults.pausedUntilNs();
        }
        // A full socket reports when it has room; until then the engine's urgent work would only keep the loop running.
        long engineNs = engine.nextDeadlineNs();
        long coreNs = sink.isBlocked() ? Math.max(engineNs, nowNs + BLOCKED_PAUSE_NS) : engineNs;
        long deadlineNs = Math.min(coreNs, port.nextDeadlineNs());
        for (UdpPort groupPort : groupPorts) {
            deadlineNs = Math.min(deadlineNs, groupPort.nextDeadlineNs());
        }
        return deadlineNs;
    }

    /** Has the event loop notified of the next frame, once; on the event loop's thread. */
    void rearm() {
        port.rearm();
        for (UdpPort groupPort : groupPorts) {
            groupPort.rearm();
        }
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
            verdict.onDelivered();
            engine.onPacket(buffer, offset, lengthBytes, flow, nowNs);
        } catch (Throwable fault) {
            // Here, so that the other frames of a batch are delivered, and no error reaches Netty, which would drop it.
            faults.onEngine(fault);
        }
    }

    /** Queues a frame for this engine, on any thread; false when the queue is full. */
    boolean offer(UnsafeBuffer frame, Flow flow) {
        return forwarding.offer(frame, flow);
    }

    /** The number of the iteration that the engine is in, or was in last and not at rest since; 0 for none. Any thread. */
    long number() {
        return iteration.get();
    }

    /** Whether what ended an iteration waits for the next one. Any thread. */
    boolean isUnhandled() {
        return unhandled != null;
    }

    void closePorts() {
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
    void drainBeforeClose() {
        for (int done = 0; done < CLOSING_ITERATIONS && (iterate() || sink.isBlocked()); done++) {
            if (sink.isBlocked()) {
                LockSupport.parkNanos(BLOCKED_PAUSE_NS);
            }
        }
    }
}
