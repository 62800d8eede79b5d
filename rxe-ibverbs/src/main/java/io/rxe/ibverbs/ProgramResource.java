package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An object of the program, and how many others need it: destroying it before those fails with EBUSY, as the kernel has it. Guarded by
 * the lock of {@link Verbs}.
 */
class ProgramResource<T extends AutoCloseable> {
    private final T object;
    private final ProgramResource<?>[] needs;
    private int users;

    /** @param needs the objects that may not be destroyed before this one, as soon as it has a handle. */
    ProgramResource(T object, ProgramResource<?>... needs) {
        this.object = object;
        this.needs = needs;
    }

    /**
     * Makes an object and gives it a handle. Where anything fails behind the first step, mostly for lack of memory, the object is closed:
     * the program has no handle to destroy it with. Under the lock of {@link Verbs}.
     *
     * @param wrapper fills in what the program sees of the object.
     * @param undo    takes back what the wrapper did elsewhere, even if it did nothing.
     * @return the handle.
     */
    static <T extends AutoCloseable, R extends ProgramResource<T>> int make(Handles<R> handles, Supplier<T> maker, Function<T, R> wrapper,
            Consumer<T> undo) {
        T object = maker.get();
        try {
            R resource = wrapper.apply(object);
            int handle = handles.add(resource);
            resource.claim();
            return handle;
        } catch (RuntimeException | Error e) {
            undo.accept(object);
            close(object, e);
            throw e;
        }
    }

    private static void close(AutoCloseable object, Throwable reason) {
        try {
            try {
                object.close();
            } catch (OutOfMemoryError e) {
                HeapReserve.release();
                object.close();
            }
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }

    /** Closes an object that no other needs, and takes its handle back. Under the lock of {@link Verbs}. */
    static <R extends ProgramResource<?>> void destroy(Handles<R> handles, int handle) throws Exception {
        R resource = handles.get(handle);
        resource.checkUnused();
        resource.close();
        handles.remove(handle);
    }

    /** Needs the other objects from now on: it has a handle. */
    final void claim() {
        for (ProgramResource<?> needed : needs) {
            needed.users++;
        }
    }

    final T object() {
        return object;
    }

    /** Needs another object from now on, instead of the one that was named at an index. */
    final void needInstead(int index, ProgramResource<?> now) {
        needs[index].users--;
        needs[index] = now;
        now.users++;
    }

    /** @throws RuntimeException {@link VerbFailure} when another object needs this one. */
    final void checkUnused() {
        if (users > 0) {
            throw VerbFailure.of(VerbError.EBUSY, users + " other objects use it: destroy them first");
        }
    }

    /** Closes the object, after {@link #checkUnused}. */
    void close() throws Exception {
        object.close();
        release();
    }

    /** Needs no other object any more. */
    final void release() {
        for (ProgramResource<?> needed : needs) {
            needed.users--;
        }
    }
}
