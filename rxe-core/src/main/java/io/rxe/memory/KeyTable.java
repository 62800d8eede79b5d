package io.rxe.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Finds regions and windows by key. Engine threads look up through their {@link KeyCache} while other threads add and remove. A look-up
 * takes no lock and allocates nothing.
 *
 * <p>A hash table with immutable chains: a writer publishes a whole new chain, so a reader sees the chain before or after the change.
 */
public final class KeyTable {
    /** Most regions and windows: half of what the 24 bits of an index hold, so that a free one is soon found. */
    public static final int MAX_KEYS = 1 << 23;
    private static final int FIRST_BUCKETS = 64;
    private static final int MAX_BUCKETS = 1 << 24;

    private volatile AtomicReferenceArray<Link> buckets = new AtomicReferenceArray<>(FIRST_BUCKETS);
    private final AtomicLong gracePeriods = new AtomicLong();
    /** Held by one writer at a time, for one change of one chain or of the whole table. Readers do not need it. */
    private final Object writers = new Object();
    /** Guarded by {@link #writers}. */
    private int size;

    /** The slot of an index and the rest of its chain, null at the end. */
    private record Link(int index, KeySlot slot, Link next) {
        KeySlot find(int wanted) {
            for (Link link = this; link != null; link = link.next) {
                if (link.index == wanted) {
                    return link.slot;
                }
            }
            return null;
        }

        /** This chain without a slot: the links before it are made again. */
        Link without(KeySlot removed) {
            Link rest = null;
            for (Link link = this; link != null; link = link.next) {
                if (link.slot != removed) {
                    rest = new Link(link.index, link.slot, rest);
                }
            }
            return rest;
        }
    }

    /**
     * Adds a region or a window.
     *
     * @return null when the index of its key is in use: draw another.
     * @throws IllegalStateException when there are {@link #MAX_KEYS} already.
     */
    public KeySlot add(KeySlot.Type type, Region region) {
        int index = index(region.key());
        synchronized (writers) {
            if (size >= MAX_KEYS) {
                throw new IllegalStateException("the NIC has " + MAX_KEYS + " memory regions and windows, its maximum: close one first");
            }
            if (slot(buckets, index) != null) {
                return null;
            }
            if (size >= buckets.length() && size < MAX_BUCKETS) {
                grow();
            }
            KeySlot slot = new KeySlot(type, region);
            put(buckets, index, slot);
            size++;
            return slot;
        }
    }

    /**
     * Revokes and removes what a slot holds. What is left belongs to no domain, so nobody can bind it. An engine in the middle of an access
     * may use the memory until that engine has run a command.
     */
    public void remove(KeySlot slot) {
        Region last = slot.current();
        while (!slot.replace(last, Region.free(last.key(), KeySlot.NO_DOMAIN))) {
            last = slot.current();
        }
        unlink(last.key(), slot);
    }

    private void unlink(int key, KeySlot slot) {
        int index = index(key);
        synchronized (writers) {
            if (slot(buckets, index) == slot) {
                int bucket = bucket(buckets, index);
                buckets.set(bucket, buckets.get(bucket).without(slot));
                size--;
            }
        }
    }

    /** Returns what a key grants, or null. */
    public Region find(int key) {
        KeySlot slot = slot(key);
        Region region = slot == null ? null : slot.current();
        return region != null && region.key() == key && !region.isRevoked() ? region : null;
    }

    /** Returns the slot of the index of a key, or null. */
    public KeySlot slot(int key) {
        return slot(buckets, index(key));
    }

    /** Number of regions and windows. */
    public int size() {
        synchronized (writers) {
            return size;
        }
    }

    /** Begins a grace period: see {@link KeyCache#hasPassed}. Returns its number. */
    public long beginGracePeriod() {
        return gracePeriods.incrementAndGet();
    }

    long gracePeriods() {
        return gracePeriods.get();
    }

    /** Publishes a table of twice the buckets. Readers of the old one find there what was added before. */
    private void grow() {
        AtomicReferenceArray<Link> old = buckets;
        AtomicReferenceArray<Link> larger = new AtomicReferenceArray<>(2 * old.length());
        for (int bucket = 0; bucket < old.length(); bucket++) {
            for (Link link = old.get(bucket); link != null; link = link.next()) {
                put(larger, link.index(), link.slot());
            }
        }
        buckets = larger;
    }

    private static void put(AtomicReferenceArray<Link> table, int index, KeySlot slot) {
        int bucket = bucket(table, index);
        table.set(bucket, new Link(index, slot, table.get(bucket)));
    }

    private static KeySlot slot(AtomicReferenceArray<Link> table, int index) {
        Link chain = table.get(bucket(table, index));
        return chain == null ? null : chain.find(index);
    }

    private static int index(int key) {
        return key >>> Byte.SIZE;
    }

    /** All bits of an index are random, so the low ones serve as its hash. */
    private static int bucket(AtomicReferenceArray<Link> table, int index) {
        return index & table.length() - 1;
    }
}
