package io.rxe.verbs;

import java.util.Objects;

/**
 * What a memory window is bound to; {@code ibv_mw_bind_info}. Immutable.
 *
 * <p>When the request runs, the region must grant MW_BIND and lie in the domain of window and queue pair, the range must lie in the
 * region, a window with REMOTE_WRITE or REMOTE_ATOMIC needs a region with LOCAL_WRITE, one with REMOTE_ATOMIC a region whose memory is
 * aligned to 8 bytes as its addresses are, and one with FLUSH_PERSISTENT a region with that right. Otherwise the request completes with
 * MW_BIND_ERR and the queue pair goes to ERROR.
 *
 * @param region      the region; null to unbind a window of type 1.
 * @param address     address of the first byte in the region.
 * @param lengthBytes bytes; 0 unbinds a window of type 1, and is not allowed for type 2.
 * @param access      REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC, FLUSH_GLOBAL, FLUSH_PERSISTENT, and for type 2 ZERO_BASED, of
 *                    {@link AccessFlags}, combined with {@code |}.
 */
public record MemoryBinding(MemoryRegion region, long address, long lengthBytes, int access) {
    /** Binds nothing: ends the binding of a window of type 1. */
    public static final MemoryBinding NONE = new MemoryBinding(null, 0, 0, 0);

    /** @throws IllegalArgumentException for a negative length, and for a length without a region. */
    public MemoryBinding {
        if (lengthBytes < 0 || lengthBytes > 0 && region == null) {
            throw new IllegalArgumentException("binding of " + lengthBytes + " bytes to " + (region == null ? "no" : "a")
                + " region: give a region and 0 or more bytes of it");
        }
    }

    /** Binds a whole region. */
    public static MemoryBinding of(MemoryRegion region, int access) {
        Objects.requireNonNull(region, "the memory region is null: register the memory and give its region");
        return new MemoryBinding(region, region.address(), region.length(), access);
    }
}
