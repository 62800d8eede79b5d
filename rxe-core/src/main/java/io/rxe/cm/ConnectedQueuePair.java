package io.rxe.cm;

import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.device.QueuePairs;
import io.rxe.port.QueuePairObserver;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import java.util.function.Consumer;

/**
 * The queue pair of one connection: brought to RTS with it, watched, and moved to ERROR with its end. A UD queue pair that serves
 * datagrams is neither watched nor moved. Any thread; the observer runs on the thread of the queue pair's engine.
 */
final class ConnectedQueuePair implements QueuePairObserver {
    private final QueuePairs queuePairs;
    private final Runnable arrivals;
    private final Consumer<String> ends;
    private volatile QueuePair pair;
    /** Whether this side ends the connection, and the queue pair with it. */
    private volatile boolean ending;

    /**
     * @param arrivals runs when the first packet of the peer arrives.
     * @param ends     receives the reason, a sentence, when the queue pair ended, unless this class ended it.
     */
    ConnectedQueuePair(QueuePairs queuePairs, Runnable arrivals, Consumer<String> ends) {
        this.queuePairs = queuePairs;
        this.arrivals = arrivals;
        this.ends = ends;
    }

    /** Null for none, or if the application modifies its queue pair itself. */
    QueuePair get() {
        return pair;
    }

    static String name(QueuePair pair) {
        return "queue pair 0x" + Integer.toHexString(pair.number());
    }

    @Override
    public void onArrival() {
        arrivals.run();
    }

    @Override
    public void onEnd(String cause) {
        if (!ending) {
            ends.accept("its " + name(pair) + " ended: " + cause);
        }
    }

    /**
     * Takes a queue pair and brings it to INIT; adds the remote access the peer needs to what the application allowed. If this throws,
     * {@link #forget} undoes it.
     *
     * @throws IllegalArgumentException if it is of another NIC.
     * @throws IllegalStateException    if it belongs to a connection, or is neither in RESET nor in INIT.
     */
    void take(QueuePair taken, int responderResources, int partitionKeyIndex) {
        queuePairs.of(taken).run(() -> toInit(taken, responderResources, partitionKeyIndex));
    }

    /** As {@link #take}, and brings the queue pair to RTS: a flood of requests costs the engine one command for each of them. */
    void connect(QueuePair taken, ConnectionTerms terms, int minRnrTimer, long keepAliveNs) {
        queuePairs.of(taken).run(() -> {
            toInit(taken, terms.responderResources(), terms.partitionKeyIndex());
            modify(terms, minRnrTimer, keepAliveNs);
        });
    }

    private void toInit(QueuePair taken, int responderResources, int partitionKeyIndex) {
        // Before it is observed, because it may end at once.
        pair = taken;
        try {
            queuePairs.of(taken).observe(this);
        } catch (Throwable e) {
            pair = null;
            throw e;
        }
        QueuePairState state = taken.state();
        if (state != QueuePairState.RESET && state != QueuePairState.INIT) {
            throw new IllegalStateException(name(taken) + " is in " + state + ": give one in RESET or INIT");
        }
        // What RESET leaves is of an earlier connection.
        int allowed = state == QueuePairState.INIT ? taken.query().accessFlags() : 0;
        int flags = allowed | ConnectionTerms.accessFlags(responderResources);
        taken.modify(QueuePairAttributes.toInit(flags).partitionKeyIndex(partitionKeyIndex));
    }

    /** Takes a UD queue pair. */
    void serve(QueuePair datagrams) {
        if (datagrams.state() != QueuePairState.RTS) {
            throw new IllegalStateException(name(datagrams) + " is in " + datagrams.state()
                + ": bring it to RTS with ConnectionService.prepare before it serves datagrams");
        }
        pair = datagrams;
    }

    void toReadyToSend(ConnectionTerms terms, int minRnrTimer, long keepAliveNs) {
        queuePairs.of(pair).run(() -> modify(terms, minRnrTimer, keepAliveNs));
    }

    private void modify(ConnectionTerms terms, int minRnrTimer, long keepAliveNs) {
        pair.modify(terms.toReadyToReceive(minRnrTimer));
        QueuePairAttributes change = terms.toReadyToSend();
        pair.modify(terms.type() == QueuePairType.RC ? change.keepAliveNs(keepAliveNs) : change);
    }

    /** Loads an alternate path, with the P_Key of the connection since a LAP has none, and asks the peer to arm (rule M1). */
    void load(AlternatePath path) {
        AlternatePath own = new AlternatePath(path.addressVector(), path.port(), path.timeout(), pair.query().partitionKeyIndex());
        // One that the application drains goes on draining.
        QueuePairState state = pair.state() == QueuePairState.SQD ? QueuePairState.SQD : QueuePairState.RTS;
        pair.modify(QueuePairAttributes.to(state).alternatePath(own).pathMigrationState(PathMigrationState.REARM));
    }

    /** Undoes {@link #take}, but for the state of the queue pair. */
    void forget() {
        QueuePair former = pair;
        pair = null;
        if (isWatched(former)) {
            queuePairs.of(former).forget(this);
        }
    }

    /** Moves the queue pair to ERROR, which flushes it, because this side wants it; no effect when it serves another connection by now. */
    void end() {
        ending = true;
        if (isWatched(pair)) {
            queuePairs.of(pair).end(this);
        }
    }

    /** As {@link #end}, after an end that the exchange reported: what the peer sent before counts. */
    void awaitEnd() {
        if (isWatched(pair)) {
            queuePairs.of(pair).awaitEnd(this);
        }
    }

    /** As {@link #awaitEnd}, but does not wait; for the threads of engines. */
    void requestEnd() {
        if (isWatched(pair)) {
            queuePairs.of(pair).requestEnd(this);
        }
    }

    private static boolean isWatched(QueuePair pair) {
        return pair != null && pair.type() != QueuePairType.UD;
    }
}
