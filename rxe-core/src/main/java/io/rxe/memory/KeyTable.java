package io.rxe.memory;

import org.jctools.maps.NonBlockingHashMapLong;

/**
 * Finds regions by key. Read by engine threads for nearly every packet while applications register and deregister; a look-up takes
 * no lock and allocates nothing.
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
        return regions.get(Integer.toUnsignedLong(key));
    }

    /**
     * The region of a key if it may be used so, or null: unknown key, other domain, missing right, or a range outside.
     *
     * @param needed access bits.
     */
    public Region find(int key, int domain, int needed, long address, long lengthBytes) {
        Region region = find(key);
        return region != null && region.domain() == domain && region.grants(needed) && region.contains(address, lengthBytes)
            && !region.isRevoked() ? region : null;
    }

    /** Regions registered now. */
    public int size() {
        return regions.size();
    }
}
