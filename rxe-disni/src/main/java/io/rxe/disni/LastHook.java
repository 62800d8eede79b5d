package io.rxe.disni;

import java.lang.reflect.Method;

/**
 * The place behind all shutdown hooks, which Java runs at once and keeps for its own classes. A program that opens {@code java.lang} lets
 * us have it.
 */
final class LastHook {
    private static final int PLACE = 9;

    private LastHook() {
    }

    /** Runs a task when the process exits, behind the hooks; false where Java does not let it. */
    static boolean run(Runnable task) {
        try {
            Method add = Class.forName("java.lang.Shutdown").getDeclaredMethod("add", int.class, boolean.class, Runnable.class);
            add.setAccessible(true);
            add.invoke(null, PLACE, true, task);
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }
}
