package io.rxe.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One index of the {@link KeyTable}, and what it grants now. The index is the upper 24 bits of a key; the lower 8 bits belong to the owner,
 * who changes them with each registration or binding, so that an old key grants nothing.
 *
 * <p>Any thread may call: what it grants changes in one step, and no call waits. A region changes only while no window is bound to it,
 * and one thread at a time changes or closes it; when it is closed, its windows grant nothing any more.
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
    private static final int CHANGING = -1;
    private static final int CLOSED = -2;

    private final Type type;
    private final AtomicReference<Region> current;
    /** Windows bound to this region; CHANGING from {@link #beginChange} to {@link #endChange}, CLOSED for ever. */
    private final AtomicInteger windows = new AtomicInteger();
    /** The key that the latest request asked for, whether it ran or not. */
    private final AtomicInteger askedKey;
    /** Requests that change the key and have not completed, of any queue pair. */
    private final AtomicInteger waiting = new AtomicInteger();

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
        while (count >= 0) {
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

    /** Closes it, whether windows are bound to it or not: nobody changes it any more. False while another thread does. Idempotent. */
    public boolean close() {
        int count = windows.get();
        while (count >= 0 && !windows.compareAndSet(count, CLOSED)) {
            count = windows.get();
        }
        return count != CHANGING;
    }

    /** Closes it; false when windows are bound to it, when another thread changes it, or it is closed. */
    public boolean closeUnbound() {
        return windows.compareAndSet(0, CLOSED);
    }

    /** Whether {@link #close} has closed it, or {@link #closeUnbound}. */
    public boolean isClosed() {
        return windows.get() == CLOSED;
    }

    /** Lets the caller, and nobody else, change the region; false when {@link #closeUnbound} would be. */
    public boolean beginChange() {
        return windows.compareAndSet(0, CHANGING);
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
     * Replaces what the key grants, under another key or by nothing. A look-up finds the old, or nothing, or the new.
     *
     * @return false when it was no longer what the caller expected.
     */
    public boolean replace(Region expected, Region next) {
        // First, so that no engine has it cached when another thread sees what is in its place. Where that is so now, it is revoked too.
        expected.revoke();
        if (!current.compareAndSet(expected, next)) {
            return false;
        }
        if (expected.boundTo() != null) {
            expected.boundTo().release();
        }
        return true;
    }

    /** Between {@link #beginChange} and {@link #endChange}: another region under the same key. A look-up finds the old or the new. */
    public void change(Region next) {
        current.getAndSet(next).revoke();
    }
}
