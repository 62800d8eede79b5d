package io.rxe.cm.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import org.junit.jupiter.api.Test;

/** Names that peers choose so that a look-up becomes slow. */
class ExchangeTableTest {
    private static final int KEYS = 4096;
    private static final Gid PEER = Gid.parse("10.0.0.66");

    /** All have the hash of key 0. */
    private static PeerKey collidingKey(int index) {
        return new PeerKey(PeerKey.Kind.COMMUNICATION_ID, PEER, index, -31 * index);
    }

    @Test
    void keysWithOneHashAreFoundInLogarithmicTime() {
        int[] comparisons = new int[1];
        ExchangeTable<Integer> table = new ExchangeTable<>(() -> 1, (a, b) -> {
            comparisons[0]++;
            return a.compareTo(b);
        });
        for (int i = 0; i < KEYS; i++) {
            assertEquals(collidingKey(0).hashCode(), collidingKey(i).hashCode());
            table.bind(collidingKey(i), i);
        }
        comparisons[0] = 0;
        for (int i = 0; i < KEYS; i++) {
            assertEquals(i, table.find(collidingKey(i)));
        }
        assertNull(table.find(collidingKey(KEYS)));
        assertTrue(comparisons[0] <= 2 * 12 * KEYS, comparisons[0] + " comparisons for " + KEYS + " look-ups");
    }

    @Test
    void keysThatDifferInOneFieldAreDifferent() {
        PeerKey key = new PeerKey(PeerKey.Kind.COMMUNICATION_ID, PEER, 1, 1);
        ExchangeTable<String> table = new ExchangeTable<>(() -> 1, PeerKey::compareTo);
        table.bind(key, "this");
        table.bind(new PeerKey(PeerKey.Kind.QUEUE_PAIR, PEER, 1, 1), "another kind");
        table.bind(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, Gid.parse("fd99::1"), 1, 1), "another address");
        table.bind(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, PEER, -1, 1), "another adapter");
        table.bind(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, PEER, 1, 2), "another number");
        assertEquals("this", table.find(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, PEER, 1, 1)));
        table.unbind(key, "that");
        assertEquals("this", table.find(key));
        table.unbind(key, "this");
        assertNull(table.find(key));
    }
}
