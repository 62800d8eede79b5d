package io.rxe.ibverbs;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * The objects of one kind that the program has, by the number it knows them by: the {@code handle} of the C structures. Any thread reads;
 * the owner's lock guards adding and removing. A number is 1 or more, and is used again after its object is gone.
 */
final class Handles<T> {
    private final String kind;
    private final Deque<Integer> free = new ArrayDeque<>();
    private volatile Object[] objects = new Object[16];
    private int next = 1;

    /** @param kind for messages, as in {@code "queue pair"}. */
    Handles(String kind) {
        this.kind = kind;
    }

    int add(T object) {
        int handle = free.isEmpty() ? next++ : free.pop();
        Object[] all = objects;
        if (handle == all.length) {
            all = Arrays.copyOf(all, 2 * handle);
        }
        all[handle] = object;
        objects = all;
        return handle;
    }

    /** @throws VerbException when there is no such object. */
    @SuppressWarnings("unchecked")
    T get(int handle) {
        Object[] all = objects;
        Object object = handle > 0 && handle < all.length ? all[handle] : null;
        if (object == null) {
            throw new VerbException(Errno.EINVAL, "there is no " + kind + " with handle " + handle + ": it was destroyed");
        }
        return (T) object;
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

    void remove(int handle) {
        Object[] all = objects;
        all[handle] = null;
        objects = all;
        free.push(handle);
    }
}
