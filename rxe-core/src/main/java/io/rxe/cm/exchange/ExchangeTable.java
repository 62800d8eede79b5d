package io.rxe.cm.exchange;

import io.rxe.port.Entropy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * All exchanges of a NIC, found by our communication ID or by a name the peer uses. IDs are random: a former peer must not
 * be able to tell those of other connections.
 *
 * @param <E> an exchange.
 */
final class ExchangeTable<E> {
    private final Int2ObjectHashMap<E> byLocalId = new Int2ObjectHashMap<>();
    private final Map<PeerKey, E> byPeer;
    private final Entropy entropy;

    /**
     * @param entropy source of IDs.
     * @param order   of the names peers use; a look-up costs the logarithm of their number, whatever names peers choose.
     */
    ExchangeTable(Entropy entropy, Comparator<PeerKey> order) {
        this.byPeer = new TreeMap<>(order);
        this.entropy = entropy;
    }

    int size() {
        return byLocalId.size();
    }

    /** An ID no exchange has; never 0, which means "unknown" on the wire. */
    int drawId() {
        int id = entropy.nextInt();
        while (id == 0 || byLocalId.containsKey(id)) {
            id++;
        }
        return id;
    }

    void add(int localId, E exchange) {
        byLocalId.put(localId, exchange);
    }

    void remove(int localId) {
        byLocalId.remove(localId);
    }

    /** Makes an exchange findable by a name the peer uses; an older exchange of that name loses it. */
    void bind(PeerKey key, E exchange) {
        byPeer.put(key, exchange);
    }

    /** Undoes {@link #bind}, unless another exchange has the name by now. */
    void unbind(PeerKey key, E exchange) {
        byPeer.remove(key, exchange);
    }

    E find(int localId) {
        return byLocalId.get(localId);
    }

    E find(PeerKey key) {
        return byPeer.get(key);
    }

    /** A copy, so that exchanges may end during the iteration. */
    List<E> all() {
        return new ArrayList<>(byLocalId.values());
    }
}
