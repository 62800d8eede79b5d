package io.rxe.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEvent.Type;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Listener;
import io.rxe.net.process.Sentences;
import io.rxe.verbs.QueuePairType;
import java.io.IOException;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * An event channel: the events of connection management, and those that ids of this channel make up. The thread that takes the peer's reply
 * brings the queue pair to RTS. Any thread.
 */
final class DisniEventChannel extends RdmaEventChannel {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    /** What DiSNI's endpoints do not react to: they wait for ever, so that the sentence is all a user learns. */
    private static final Set<Type> UNHEARD = EnumSet.of(Type.UNREACHABLE, Type.REJECTED, Type.CONNECT_ERROR);

    private final CmEventChannel events = new CmEventChannel();
    private final Queue<DisniEvent> madeUp = new ConcurrentLinkedQueue<>();
    private final Map<Listener, DisniId> listeners = new IdentityHashMap<>();

    DisniEventChannel() throws IOException {
        super(NUMBERS.incrementAndGet());
    }

    CmEventChannel events() {
        return events;
    }

    /** Adds an event that an id makes up. */
    void raise(DisniEvent event) {
        madeUp.add(event);
        events.wakeup();
    }

    /**
     * Listens for an id. Holds the lock, so that no request comes before the id can be found.
     *
     * @param backlog 0 or less for the default.
     */
    Listener listen(DisniId id, ConnectionService connections, int port, int backlog) {
        synchronized (listeners) {
            Listener listener = connections.listen(events, DisniId.PORT_SPACE, port,
                backlog < 1 ? ConnectionService.DEFAULT_BACKLOG : backlog);
            listeners.put(listener, id);
            return listener;
        }
    }

    /** No request is for this listener any more. */
    void forget(Listener listener) {
        synchronized (listeners) {
            listeners.remove(listener);
        }
    }

    /**
     * Waits for an event, also while the thread is interrupted.
     *
     * @param timeoutMs below 0 for ever, 0 for an event that waits already.
     * @return null after the timeout.
     * @throws IOException when the channel is closed.
     */
    RdmaCmEvent next(int timeoutMs) throws IOException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        boolean interrupted = false;
        try {
            while (true) {
                long leftNs = timeoutMs < 0 ? Long.MAX_VALUE : Math.max(0, endNs - System.nanoTime());
                try {
                    RdmaCmEvent event = poll();
                    if (event == null && leftNs > 0) {
                        CmEvent next = events.await(leftNs);
                        event = next == null ? null : of(next);
                    }
                    if (event != null || leftNs == 0) {
                        return event;
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (IllegalStateException e) {
                    Failure.requireOpen(isOpen(), "Trying to get CM event on closed channel.");
                    awaitExit(leftNs);
                    return null;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The NIC is closed, because the process ends: DiSNI's loop would report an exception over and over. */
    private static void awaitExit(long timeoutNs) {
        long endNs = System.nanoTime() + Math.min(timeoutNs, TimeUnit.DAYS.toNanos(1));
        boolean interrupted = false;
        for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
            // An interrupted thread does not park.
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(leftNs);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The first event that waits and that an id gets; null for none. */
    private RdmaCmEvent poll() throws IOException {
        while (true) {
            DisniEvent own = madeUp.poll();
            if (own != null && !madeUp.isEmpty()) {
                // Several wake-ups may count as one, which this thread has taken.
                events.wakeup();
            }
            CmEvent arrived = own == null ? events.poll() : null;
            if (own == null && arrived == null) {
                return null;
            }
            RdmaCmEvent event = own == null ? of(arrived) : own.getConnIdPriv().isOpen() ? own : null;
            if (event != null) {
                return event;
            }
        }
    }

    /** Null where no id gets it. */
    private RdmaCmEvent of(CmEvent event) throws IOException {
        if (!event.explanation().isEmpty() && (Sentences.isVerbose() || UNHEARD.contains(event.type()))) {
            Sentences.say(event.type() + ": " + event.explanation());
        }
        return event.type() == Type.CONNECT_REQUEST ? request(event) : ofConnection(event);
    }

    private RdmaCmEvent request(CmEvent event) throws IOException {
        DisniId listener;
        synchronized (listeners) {
            listener = listeners.get(event.listener());
        }
        CmConnection connection = event.connection();
        if (listener == null || connection.type() == QueuePairType.XRC_RECV) {
            connection.close();
            return null;
        }
        return DisniEvent.of(event, listener, listener.request(connection));
    }

    private static RdmaCmEvent ofConnection(CmEvent event) throws IOException {
        boolean known = event.type() != Type.ALTERNATE_PATH;
        return known && event.connection().attachment() instanceof DisniId id && id.isOpen() ? DisniEvent.of(event, null, id) : null;
    }

    void destroy() {
        close();
        events.close();
    }
}
