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
    /** Written by the engine thread, read by any. */
    private volatile long passed;

    /** @param table of the device. */
    public KeyCache(KeyTable table) {
        this.table = table;
    }

    /** Engine: it is in the middle of no access. What was revoked before a grace period began is not used from here on. */
    public void pass() {
        long begun = table.gracePeriods();
        if (begun != passed) {
            passed = begun;
        }
    }

    /** Whether the engine has passed since a grace period began. Any thread. */
    public boolean hasPassed(long gracePeriod) {
        return passed >= gracePeriod;
    }

    /** Begins a grace period, for which every engine has to {@link #pass}. Returns its number. */
    public long beginGracePeriod() {
        return table.beginGracePeriod();
    }

    /** Returns the region of a key, or null. */
    public Region find(int key) {
        int position = position(key);
        Region region = slots[position];
        if (region == null || region.key() != key || region.isRevoked()) {
            region = table.find(key);
            slots[position] = region;
        }
        return region;
    }

    /**
     * Returns the region of a local key if the access is allowed. Returns null for an unknown key, the key of a window, another domain, a
     * missing right, and a range outside the region.
     *
     * @param needed access bits, as in {@code AccessFlags}.
     */
    public Region find(int key, int domain, int needed, long address, long lengthBytes) {
        Region region = find(key);
        return region != null && region.domain() == domain && region.grants(needed) && region.contains(address, lengthBytes)
            && !region.isWindow() ? region : null;
    }

    /**
     * Returns the region or window of a remote key if the access is allowed. Returns null in the cases above, and for a window of another
     * queue pair.
     *
     * @param queuePair that serves the request.
     * @param needed    access bits, as in {@code AccessFlags}.
     */
    public Region findRemote(int key, int domain, Object queuePair, int needed, long address, long lengthBytes) {
        Region region = find(key);
        return region != null && region.domain() == domain && region.grants(needed) && region.contains(address, lengthBytes)
            && region.serves(queuePair) ? region : null;
    }

    /** Returns the slot of the index of a key, or null. */
    public KeySlot slot(int key) {
        return table.slot(key);
    }

    /** Drops what was revoked, so that its memory can be released. */
    public void forgetRevoked() {
        for (int i = 0; i < SLOTS; i++) {
            if (slots[i] != null && slots[i].isRevoked()) {
                slots[i] = null;
            }
        }
    }

    /** All bits of a key are random at first, so the low ones serve as its hash. */
    private static int position(int key) {
        return key & SLOTS - 1;
    }
}
