package io.rxe.device;

import io.rxe.memory.KeySlot;
import io.rxe.memory.KeyTable;
import io.rxe.memory.Region;
import io.rxe.ring.SharedEnd;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/** The keys of a NIC's regions and windows, as verbs draw, change and revoke them. Any thread; some calls wait for the engines. */
final class MemoryKeys {
    private final KeyTable keys;
    private final List<Engine> engines;
    private final IntSupplier entropy;

    /** @param engines of the NIC; complete before the first call. */
    MemoryKeys(KeyTable keys, List<Engine> engines, IntSupplier entropy) {
        this.keys = keys;
        this.engines = engines;
        this.entropy = entropy;
    }

    /** Puts a region or window under a key that nothing else has. */
    KeySlot register(KeySlot.Type type, IntFunction<Region> maker) {
        KeySlot slot = null;
        while (slot == null) {
            int key = entropy.getAsInt();
            // No key is ever 0, whatever its owner makes of the low bits.
            boolean isUsable = type == KeySlot.Type.REGION ? key != 0 : (key & KeySlot.INDEX_BITS) != 0;
            slot = isUsable ? keys.add(type, maker.apply(key)) : null;
        }
        return slot;
    }

    /**
     * Waits for changes of a region, and begins the next or closes it.
     *
     * @return false when the region is closed.
     * @throws IllegalStateException when windows are bound to the region.
     */
    boolean fix(KeySlot slot, Predicate<KeySlot> attempt, String change) {
        int spins = 0;
        while (!attempt.test(slot)) {
            if (slot.isClosed()) {
                return false;
            }
            int windows = slot.windows();
            if (windows > 0) {
                throw new IllegalStateException("memory region 0x" + Integer.toHexString(slot.issuedKey()) + " cannot be " + change
                    + " while " + windows + " memory windows are bound to it: unbind or close them first");
            }
            SharedEnd.pause(++spins);
        }
        return true;
    }

    /** Waits for a change of a region or window, and closes it, unless it is closed. */
    void close(KeySlot slot) {
        for (int spins = 1; !slot.close(); spins++) {
            SharedEnd.pause(spins);
        }
    }

    /** Revokes a key for good, then waits until no engine uses its memory. */
    void release(KeySlot slot) {
        keys.remove(slot);
        awaitEngines();
    }

    /** Runs a command on every engine: after that no engine can be in the middle of an access to memory that was revoked before. */
    void awaitEngines() {
        for (Engine engine : engines) {
            engine.thread().call(() -> engine.keys().forgetRevoked());
        }
    }
}
