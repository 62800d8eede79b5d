package io.rxe.memory;

import org.jctools.maps.NonBlockingHashMapLong;

/**
 * Finds regions by key. Read by engine threads, each through its {@link KeyCache}, while applications register and deregister; a look-up
 * takes no lock and allocates nothing.
 */
public final class KeyTable {
    private final NonBlockingHashMapLong<Region> regions = new NonBlockingHashMapLong<>();

    /**
     * Enters a region.
     *
     * @return false when its key is taken: draw another.
     */
    public boolean add(Region region) {
        return regions.putIfAbsent(Integer.toUnsignedLong(region.key()), region) == null;
    }

    /** Takes a region out and revokes it. Engines may still be inside it until each has passed a grace period. */
    public void remove(Region region) {
        region.revoke();
        regions.remove(Integer.toUnsignedLong(region.key()), region);
    }

    /** The region of a key, or null. */
    public Region find(int key) {
        Region region = regions.get(Integer.toUnsignedLong(key));
        return region != null && !region.isRevoked() ? region : null;
    }

    /** Regions registered now. */
    public int size() {
        return regions.size();
    }
}
