package io.rxe.device;

import io.rxe.memory.KeyTable;
import java.lang.reflect.Field;

/** Looks into a NIC for tests that count what is left when everything should be gone. */
public final class NicInspection {
    private NicInspection() {
    }

    /** Registered keys. */
    public static int keys(Nic nic) {
        return table(nic).size();
    }

    /** Whether a key names a region. */
    public static boolean hasKey(Nic nic, int key) {
        return table(nic).find(key) != null;
    }

    /** Frames kept out of order. */
    public static int framesInUse(Nic nic) {
        return nic.engine(0).frames().inUse();
    }

    /** Queue pairs that packets can find. */
    public static int queuePairs(Nic nic) {
        return nic.engine(0).queuePairs().size();
    }

    private static KeyTable table(Nic nic) {
        try {
            Field field = Nic.class.getDeclaredField("keys");
            field.setAccessible(true);
            return (KeyTable) field.get(nic);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the NIC's key table is not where it was", e);
        }
    }
}
