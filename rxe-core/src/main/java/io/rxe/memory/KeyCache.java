package io.rxe.memory;

/**
 * One engine's way into the {@link KeyTable}: nearly every packet asks for a key, and mostly for one of a few, so those found last are
 * kept at hand. A region that was deregistered is not found here either: it is revoked before anything else.
 *
 * <p>Owned by the engine thread.
 */
public final class KeyCache {
    private static final int PLACES = 64;

    private final KeyTable table;
    private final Region[] places = new Region[PLACES];

    /** @param table of the device. */
    public KeyCache(KeyTable table) {
        this.table = table;
    }

    /** The region of a key, or null. */
    public Region find(int key) {
        int place = place(key);
        Region region = places[place];
        if (region == null || region.key() != key || region.isRevoked()) {
            region = table.find(key);
            places[place] = region;
        }
        return region;
    }

    /**
     * The region of a key if it may be used so, or null: unknown key, other domain, missing right, or a range outside.
     *
     * @param needed access bits.
     */
    public Region find(int key, int domain, int needed, long address, long lengthBytes) {
        Region region = find(key);
        return region != null && region.domain() == domain && region.grants(needed) && region.contains(address, lengthBytes)
            ? region : null;
    }

    /** Takes a region out, as {@link KeyTable#remove} does. */
    public void remove(Region region) {
        table.remove(region);
        forget(region);
    }

    /** A region was taken out: nothing here holds its memory any longer. */
    public void forget(Region region) {
        int place = place(region.key());
        if (places[place] == region) {
            places[place] = null;
        }
    }

    /** Keys are random in all their bits. */
    private static int place(int key) {
        return key & PLACES - 1;
    }
}
