package io.rxe.memory;

import org.jctools.maps.NonBlockingHashMapLong;

/**
 * Finds regions by key. Engine threads look up through their {@link KeyCache} while application threads add and remove. A look-up takes no
 * lock and allocates nothing.
 */
public final class KeyTable {
    private final NonBlockingHashMapLong<Region> regions = new NonBlockingHashMapLong<>();

    /**
     * Adds a region.
     *
     * @return false when its key is in use: draw another.
     */
    public boolean add(Region region) {
        return regions.putIfAbsent(Integer.toUnsignedLong(region.key()), region) == null;
    }

    /** Revokes and removes a region. An engine in the middle of an access may use its memory until that engine has run a command. */
    public void remove(Region region) {
        region.revoke();
        regions.remove(Integer.toUnsignedLong(region.key()), region);
    }

    /** Returns the region of a key, or null. */
    public Region find(int key) {
        Region region = regions.get(Integer.toUnsignedLong(key));
        return region != null && !region.isRevoked() ? region : null;
    }

    /** Number of regions. */
    public int size() {
        return regions.size();
    }
}
