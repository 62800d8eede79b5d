package io.rxe.cm.exchange;

import io.rxe.wire.Gid;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;

/**
 * Bounds the exchanges that peers begin: anybody can begin one, with any source address. Exchanges of our own are not counted here, so
 * that no peer can keep us from connecting.
 *
 * <pre>
 *                        all peers        one source address
 *   exchanges            capacity         capacity / 4
 *   handshakes           capacity / 4     capacity / 16
 * </pre>
 *
 * <p>A handshake is an exchange that is not established: undecided by the application (its backlog is a bound of its own), accepted
 * without an RTU, or refused and kept for duplicates. At a bound, the oldest handshake that is decided is evicted: under a flood of
 * requests nobody confirms, an honest peer needs only to confirm before its exchange is the oldest. If none is decided, the new request
 * is refused.
 *
 * <p>Engine thread.
 *
 * @param <E> an exchange; compared by identity.
 */
final class PeerAdmission<E> {
    private static final int SHARE = 4;

    private final Map<Gid, Holding<E>> bySource = new TreeMap<>(PeerKey.BY_ADDRESS);
    private final Holding<E> all = new Holding<>();
    private final int capacity;
    private final ObjLongConsumer<E> evict;

    /** What a source, or all sources together, have begun. Sets are in the order of insertion. */
    private static final class Holding<E> {
        private final Set<E> undecided = new LinkedHashSet<>();
        private final Set<E> decided = new LinkedHashSet<>();
        private int exchanges;

        private boolean isBelow(int exchangeLimit, int handshakeLimit) {
            return exchanges < exchangeLimit && undecided.size() + decided.size() < handshakeLimit;
        }

        private boolean hasEstablished() {
            return exchanges > undecided.size() + decided.size();
        }

        private void forget(E exchange) {
            undecided.remove(exchange);
            decided.remove(exchange);
        }
    }

    /**
     * @param capacity exchanges of all peers at once, at least 1.
     * @param evict    ends an exchange at a time; must report {@link #onRemoved} before it returns.
     */
    PeerAdmission(int capacity, ObjLongConsumer<E> evict) {
        this.capacity = capacity;
        this.evict = evict;
    }

    int size() {
        return all.exchanges;
    }

    /** Whether a source holds a connection that it confirmed. */
    boolean isPeer(Gid source) {
        Holding<E> own = bySource.get(source);
        return own != null && own.hasEstablished();
    }

    /** Whether a source may begin one more exchange. Evicts one if that makes room. */
    boolean admit(Gid source, long nowNs) {
        Holding<E> own = bySource.get(source);
        int share = Math.max(1, capacity / SHARE);
        return (own == null || own.isBelow(share, Math.max(1, share / SHARE)) || evictOldest(own, nowNs))
            && (all.isBelow(capacity, share) || evictOldest(all, nowNs));
    }

    private boolean evictOldest(Holding<E> holding, long nowNs) {
        if (holding.decided.isEmpty()) {
            return false;
        }
        evict.accept(holding.decided.iterator().next(), nowNs);
        return true;
    }

    /** A source began an exchange, for which {@link #admit} made room. */
    void onBegun(E exchange, Gid source) {
        Holding<E> own = bySource.computeIfAbsent(source, key -> new Holding<>());
        own.undecided.add(exchange);
        own.exchanges++;
        all.undecided.add(exchange);
        all.exchanges++;
    }

    /** The application accepted or refused. */
    void onDecided(E exchange, Gid source) {
        Holding<E> own = bySource.get(source);
        own.undecided.remove(exchange);
        own.decided.add(exchange);
        all.undecided.remove(exchange);
        all.decided.add(exchange);
    }

    /** The peer confirmed that it receives what we send to its address. */
    void onEstablished(E exchange, Gid source) {
        bySource.get(source).forget(exchange);
        all.forget(exchange);
    }

    void onRemoved(E exchange, Gid source) {
        Holding<E> own = bySource.get(source);
        own.forget(exchange);
        all.forget(exchange);
        all.exchanges--;
        if (--own.exchanges == 0) {
            bySource.remove(source);
        }
    }
}
