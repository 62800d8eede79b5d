package io.rxe.cm;

import io.rxe.port.Entropy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * All dialogues of a NIC, found by our communication ID or by what the peer calls its own. Bounded. IDs begin at a random number and
 * count up, so that one is not used again before all others were (Linux does so too).
 */
final class DialogueTable {
    private final Int2ObjectHashMap<Dialogue> byLocalId = new Int2ObjectHashMap<>();
    private final Map<PeerKey, Dialogue> byPeer = new HashMap<>();
    private final int capacity;
    private int nextId;

    DialogueTable(int capacity, Entropy entropy) {
        this.capacity = capacity;
        this.nextId = entropy.nextInt();
    }

    boolean isFull() {
        return byLocalId.size() >= capacity;
    }

    int size() {
        return byLocalId.size();
    }

    /** An ID no dialogue has; never 0, which means "unknown" on the wire. */
    int drawId() {
        while (nextId == 0 || byLocalId.containsKey(nextId)) {
            nextId++;
        }
        return nextId++;
    }

    void add(Dialogue dialogue) {
        byLocalId.put(dialogue.localId(), dialogue);
    }

    /** Makes a dialogue findable by a name of the peer's. */
    void bind(PeerKey key, Dialogue dialogue) {
        byPeer.put(key, dialogue);
    }

    /** Undoes {@link #bind}, unless the name went to another dialogue since. */
    void unbind(PeerKey key, Dialogue dialogue) {
        byPeer.remove(key, dialogue);
    }

    void remove(Dialogue dialogue) {
        byLocalId.remove(dialogue.localId());
    }

    Dialogue find(int localId) {
        return byLocalId.get(localId);
    }

    Dialogue find(PeerKey key) {
        return byPeer.get(key);
    }

    /** A copy, to walk through while dialogues end. */
    List<Dialogue> all() {
        return new ArrayList<>(byLocalId.values());
    }
}
