package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The objects of one kind that the program has, by the number it knows them by: the {@code handle} of the C structures. Any thread reads;
 * the owner's lock guards adding and removing. A number is 1 or more, and is used again after its object is gone. Its upper bits say which
 * NIC of the program has the object; objects of one NIC do not find those of another.
 */
final class Handles<T> {
    /** NICs that a program may have. */
    static final int NICS = 8;
    /** As in {@code rxe.h}. */
    private static final int NIC_SHIFT = 28;

    private final String kind;
    private final int base;
    /** As long as {@link #objects}, so that removing allocates nothing. */
    private int[] free = new int[16];
    private volatile Object[] objects = new Object[16];
    private int freeCount;
    private int next = 1;

    /**
     * @param kind for messages, as in {@code "queue pair"}.
     * @param nic  number of the NIC, from 0.
     */
    Handles(String kind, int nic) {
        this.kind = kind;
        this.base = nic << NIC_SHIFT;
    }

    /** The number of the NIC that has the object of a handle. */
    static int nic(int handle) {
        return handle >>> NIC_SHIFT;
    }

    int add(T object) {
        Object[] all = objects;
        if (freeCount == 0 && next == all.length) {
            // Without memory for both, nothing has changed.
            int[] moreFree = new int[2 * next];
            all = Arrays.copyOf(all, 2 * next);
            free = moreFree;
        }
        int index = freeCount == 0 ? next++ : free[--freeCount];
        all[index] = object;
        objects = all;
        return base + index;
    }

    /** The object of a handle, or null. */
    private Object at(int handle) {
        Object[] all = objects;
        int index = handle - base;
        return index > 0 && index < all.length ? all[index] : null;
    }

    /** @throws RuntimeException {@link VerbFailure} when there is no such object. */
    @SuppressWarnings("unchecked")
    T get(int handle) {
        Object object = at(handle);
        if (object == null) {
            throw VerbFailure.of(VerbError.ENOENT, "there is no " + kind + " with handle " + handle + ": it was destroyed, or is of"
                + " another NIC");
        }
        return (T) object;
    }

    /** Returns the object of a handle; where there is none, one that passes a test. */
    T get(int handle, Predicate<T> otherwise) {
        T found = at(handle) != null ? null : find(otherwise);
        return found == null ? get(handle) : found;
    }

    /** Calls with every object there is. */
    @SuppressWarnings("unchecked")
    void forEach(Consumer<T> visitor) {
        for (Object object : objects) {
            if (object != null) {
                visitor.accept((T) object);
            }
        }
    }

    /** Returns an object that passes a test, or null. Looks at all of them. */
    @SuppressWarnings("unchecked")
    T find(Predicate<T> test) {
        for (Object object : objects) {
            if (object != null && test.test((T) object)) {
                return (T) object;
            }
        }
        return null;
    }

    void remove(int handle) {
        Object[] all = objects;
        all[handle - base] = null;
        objects = all;
        free[freeCount++] = handle - base;
    }
}
