package io.rxe.ring;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The application's end of a ring, which several threads may use: it lets one in at a time. A {@link Ring} has one producer and one
 * consumer, and whoever is in is that one.
 *
 * <p>A thread is inside for some dozens of nanoseconds and waits for nothing there. So others spin, and give up their processor when that
 * does not help: the thread inside may have lost its own. Uncontended it costs one compare-and-set. Who enters has room on its stack to
 * leave ({@link StackRoom}), and for the doorbell that follows a post.
 */
public final class SharedEnd {
    private static final int SPINS = 64;

    private final AtomicBoolean taken = new AtomicBoolean();
    /** The thread of a batch. Other threads read it too: they never find themselves here, and may find it late. */
    private Thread holder;

    /**
     * Enters; not reentrant. Leave in a finally block.
     *
     * @throws IllegalStateException if the calling thread holds it already, and would wait for itself.
     * @throws StackOverflowError    if there is too little stack left to do so.
     */
    public void enter() {
        StackRoom.require();
        if (!taken.compareAndSet(false, true)) {
            await();
        }
    }

    /**
     * Enters if nobody is inside; never waits.
     *
     * @throws StackOverflowError as {@link #enter}.
     */
    public boolean tryEnter() {
        StackRoom.require();
        return taken.compareAndSet(false, true);
    }

    /** Waits until the thread inside has left, unless it has a batch: it may wait for the caller before it ends that. */
    public void awaitPost() {
        for (int spins = 1; taken.get() && holder == null; spins++) {
            pause(spins);
        }
    }

    /** A wait for another thread of the application, which is as short: spins, and gives up the processor now and then. */
    public static void pause(int spins) {
        if (spins % SPINS == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    private void await() {
        checkNotHeld();
        int spins = 0;
        do {
            while (taken.get()) {
                pause(++spins);
            }
        } while (!taken.compareAndSet(false, true));
    }

    /** @throws IllegalStateException if the calling thread holds it, for what would wait until it leaves. */
    public void checkNotHeld() {
        if (isHeld()) {
            throw new IllegalStateException("this thread has begun a batch of this queue: post through the batch, or close it first");
        }
    }

    /** Lets the next thread in; it sees what this one did. */
    public void leave() {
        taken.setRelease(false);
    }

    /**
     * Enters for a batch, whose calls run the caller's code in between, until {@link #release}.
     *
     * @throws IllegalStateException as {@link #enter}.
     */
    public void hold() {
        enter();
        holder = Thread.currentThread();
    }

    /** Whether the calling thread holds it. */
    public boolean isHeld() {
        return holder == Thread.currentThread();
    }

    /**
     * Refuses a call of a batch that was closed, or was begun by another thread.
     *
     * @throws IllegalStateException unless the calling thread holds it.
     */
    public void checkHeld() {
        if (!isHeld()) {
            throw new IllegalStateException("this thread has no open batch of this queue: begin one, and use it in that thread");
        }
    }

    /** Leaves; by the thread that holds it. */
    public void release() {
        holder = null;
        leave();
    }
}
