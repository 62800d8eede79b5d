package io.rxe.memory;

/**
 * One engine's cache in front of the {@link KeyTable}: nearly every packet needs a key, and mostly one of a few. A deregistered region is
 * not found here either, because deregistration revokes it first.
 *
 * <p>Owned by the engine thread.
 */
public final class KeyCache {
    /** A power of two. */
    private static final int SLOTS = 64;

    private final KeyTable table;
    private final Region[] slots = new Region[SLOTS];

    /** @param table of the device. */
    public KeyCache(KeyTable table) {
        this.table = table;
    }

    /** Returns the region of a key, or null. */
    public Region find(int key) {
        int slot = slot(key);
        Region region = slots[slot];
        if (region == null || region.key() != key || region.isRevoked()) {
            region = table.find(key);
            slots[slot] = region;
        }
        return region;
    }

    /**
     * Returns the region of a key if the access is allowed. Returns null for an unknown key, another domain, a missing right, and a range
     * outside the region.
     *
     * @param needed access bits, as in {@code AccessFlags}.
     */
    public Region find(int key, int domain, int needed, long address, long lengthBytes) {
        Region region = find(key);
        return region != null && region.domain() == domain && region.grants(needed) && region.contains(address, lengthBytes)
            ? region : null;
    }

    /** Removes a region from the cache and the {@link KeyTable}. */
    public void remove(Region region) {
        table.remove(region);
        forget(region);
    }

    /** Drops a deregistered region from the cache, so that its memory can be released. */
    public void forget(Region region) {
        int slot = slot(region.key());
        if (slots[slot] == region) {
            slots[slot] = null;
        }
    }

    /** All bits of a key are random, so the low ones serve as its hash. */
    private static int slot(int key) {
        return key & SLOTS - 1;
    }
}
