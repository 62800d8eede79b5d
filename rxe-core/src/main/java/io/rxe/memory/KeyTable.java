package io.rxe.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Finds regions by key. Engine threads look up through their {@link KeyCache} while application threads add and remove. A look-up takes no
 * lock and allocates nothing.
 *
 * <p>A hash table with immutable chains: a writer publishes a whole new chain, so a reader sees the chain before or after the change.
 */
public final class KeyTable {
    private static final int FIRST_BUCKETS = 64;
    private static final int MAX_BUCKETS = 1 << 24;

    private volatile AtomicReferenceArray<Link> buckets = new AtomicReferenceArray<>(FIRST_BUCKETS);
    /** Held by one writer at a time, for one change of one chain or of the whole table. Readers do not need it. */
    private final Object writers = new Object();
    /** Guarded by {@link #writers}. */
    private int size;

    /** A region and the rest of its chain, null at the end. */
    private record Link(Region region, Link next) {
        Region find(int key) {
            for (Link link = this; link != null; link = link.next) {
                if (link.region.key() == key) {
                    return link.region;
                }
            }
            return null;
        }

        /** This chain without a region: the links before it are made again. */
        Link without(Region removed) {
            Link rest = null;
            for (Link link = this; link != null; link = link.next) {
                if (link.region != removed) {
                    rest = new Link(link.region, rest);
                }
            }
            return rest;
        }
    }

    /**
     * Adds a region.
     *
     * @return false when its key is in use: draw another.
     */
    public boolean add(Region region) {
        synchronized (writers) {
            Link chain = chain(buckets, region.key());
            if (chain != null && chain.find(region.key()) != null) {
                return false;
            }
            if (size >= buckets.length() && size < MAX_BUCKETS) {
                grow();
            }
            put(buckets, region);
            size++;
            return true;
        }
    }

    /** Revokes and removes a region. An engine in the middle of an access may use its memory until that engine has run a command. */
    public void remove(Region region) {
        region.revoke();
        synchronized (writers) {
            Link chain = chain(buckets, region.key());
            if (chain != null && chain.find(region.key()) == region) {
                buckets.set(bucket(buckets, region.key()), chain.without(region));
                size--;
            }
        }
    }

    /** Returns the region of a key, or null. */
    public Region find(int key) {
        Link chain = chain(buckets, key);
        Region region = chain == null ? null : chain.find(key);
        return region != null && !region.isRevoked() ? region : null;
    }

    /** Number of regions. */
    public int size() {
        synchronized (writers) {
            return size;
        }
    }

    /** Publishes a table of twice the buckets. Readers of the old one find there what was added before. */
    private void grow() {
        AtomicReferenceArray<Link> old = buckets;
        AtomicReferenceArray<Link> larger = new AtomicReferenceArray<>(2 * old.length());
        for (int bucket = 0; bucket < old.length(); bucket++) {
            for (Link link = old.get(bucket); link != null; link = link.next()) {
                put(larger, link.region());
            }
        }
        buckets = larger;
    }

    private static void put(AtomicReferenceArray<Link> table, Region region) {
        int bucket = bucket(table, region.key());
        table.set(bucket, new Link(region, table.get(bucket)));
    }

    private static Link chain(AtomicReferenceArray<Link> table, int key) {
        return table.get(bucket(table, key));
    }

    /** All bits of a key are random, so the low ones serve as its hash. */
    private static int bucket(AtomicReferenceArray<Link> table, int key) {
        return key & table.length() - 1;
    }
}
