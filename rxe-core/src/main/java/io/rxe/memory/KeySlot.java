package io.rxe.memory;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One index of the {@link KeyTable}, and what it grants now. The index is the upper 24 bits of a key; the lower 8 bits belong to the owner,
 * who changes them with each registration or binding, so that an old key grants nothing.
 *
 * <p>Any thread may call: what it grants changes in one step, and no call waits. A region changes only while no window is
 * bound to it; when it is closed, its windows grant nothing any more.
 */
public final class KeySlot {
    /** What has the index. */
    public enum Type {
        /** A region that a verb registered. */
        REGION,
        /** A region that work requests register and invalidate. */
        ALLOCATED_REGION,
        /** A window of type 1: any queue pair of its domain serves it. */
        WINDOW_TYPE_1,
        /** A window of type 2B: only the queue pair that bound it serves it. */
        WINDOW_TYPE_2
    }

    /** Bits of a key that belong to the owner. */
    public static final int OWNER_BITS = 0xFF;
    /** Bits of a key that are its index. */
    public static final int INDEX_BITS = ~OWNER_BITS;

    /** What is left of a removed key belongs to no domain. */
    static final int NO_DOMAIN = -1;
    private static final int FIXED = -1;

    private final Type type;
    private final AtomicReference<Region> current;
    /** Windows bound to this region; FIXED while it changes, and when it is closed. */
    private final AtomicInteger windows = new AtomicInteger();
    /** The key that the latest request asked for, whether it ran or not. */
    private final AtomicInteger askedKey;
    /** Requests that change the key and have not completed, of any queue pair. */
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    KeySlot(Type type, Region first) {
        this.type = type;
        this.current = new AtomicReference<>(first);
        this.askedKey = new AtomicInteger(first.key());
    }

    /** The key with the next owner's bits. */
    public static int nextKey(int key) {
        return key & INDEX_BITS | key + 1 & OWNER_BITS;
    }

    public Type type() {
        return type;
    }

    /** Whether it is a window, bound or not. */
    public boolean isWindow() {
        return type == Type.WINDOW_TYPE_1 || type == Type.WINDOW_TYPE_2;
    }

    /** What the key grants now; revoked when it grants nothing. */
    public Region current() {
        return current.get();
    }

    /** While requests for a binding or registration wait, the key that the latest one asked for; else that of {@link #current}. */
    public int issuedKey() {
        return waiting.get() == 0 ? current.get().key() : askedKey.get();
    }

    /**
     * A request that changes the owner's bits to those of a key is posted; {@link #complete} follows. Returns the key it has then: the
     * index stays.
     */
    public int issue(int key) {
        int asked = askedKey.updateAndGet(before -> before & INDEX_BITS | key & OWNER_BITS);
        waiting.incrementAndGet();
        return asked;
    }

    /** A request that changes the key to the next one is posted; {@link #complete} follows. Returns that key. */
    public int issueNext() {
        int asked = askedKey.updateAndGet(KeySlot::nextKey);
        waiting.incrementAndGet();
        return asked;
    }

    /** A request that changes the key has completed, or was dropped. */
    public void complete() {
        waiting.decrementAndGet();
    }

    /** Windows bound to the region now. */
    public int windows() {
        return Math.max(0, windows.get());
    }

    /** A window is to be bound to this region: keeps it as it is; false when it is changing or closed. */
    public boolean hold() {
        int count = windows.get();
        while (count != FIXED) {
            if (windows.compareAndSet(count, count + 1)) {
                return true;
            }
            count = windows.get();
        }
        return false;
    }

    /** Undoes {@link #hold}. */
    public void release() {
        windows.updateAndGet(count -> count > 0 ? count - 1 : count);
    }

    /** The region is closed, whether windows are bound to it or not; true the first time. */
    public boolean close() {
        windows.set(FIXED);
        return !closed.getAndSet(true);
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed.get();
    }

    /** Lets the caller, and nobody else, change the region; false when windows are bound to it, or another thread changes it. */
    public boolean beginChange() {
        return windows.compareAndSet(0, FIXED);
    }

    /** Whether it was removed from the table. */
    public boolean isRemoved() {
        return current.get().domain() == NO_DOMAIN;
    }

    /** Undoes {@link #beginChange}. */
    public void endChange() {
        windows.set(0);
    }

    /**
     * Replaces what the key grants. A look-up finds the old or the new, whole; from the return on only the new.
     *
     * @return false when it was no longer what the caller expected.
     */
    public boolean replace(Region expected, Region next) {
        if (!current.compareAndSet(expected, next)) {
            return false;
        }
        expected.revoke();
        if (expected.boundTo() != null) {
            expected.boundTo().release();
        }
        return true;
    }
}
