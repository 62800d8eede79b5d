package io.rxe.ibverbs;

/**
 * An object of the program, and how many others need it: destroying it before those fails with EBUSY, as the kernel has it. Guarded by
 * the lock of {@link Verbs}.
 */
class Resource<T extends AutoCloseable> {
    private final T object;
    private final Resource<?>[] needs;
    private int users;

    /** @param needs the objects that may not be destroyed before this one. */
    Resource(T object, Resource<?>... needs) {
        this.object = object;
        this.needs = needs;
        for (Resource<?> needed : needs) {
            needed.users++;
        }
    }

    final T object() {
        return object;
    }

    /** Needs another object from now on, instead of the one that was named at an index. */
    final void needInstead(int index, Resource<?> now) {
        needs[index].users--;
        needs[index] = now;
        now.users++;
    }

    /** @throws VerbException when another object needs this one. */
    final void checkUnused() {
        if (users > 0) {
            throw new VerbException(Errno.EBUSY, users + " other objects use it: destroy them first");
        }
    }

    /** Closes the object, after {@link #checkUnused}. */
    void close() throws Exception {
        object.close();
        release();
    }

    /** Needs no other object any more. */
    final void release() {
        for (Resource<?> needed : needs) {
            needed.users--;
        }
    }
}
