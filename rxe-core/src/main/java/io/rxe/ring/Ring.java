package io.rxe.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * A bounded ring of reusable slots between one producer and one consumer.
 *
 * <pre>
 *        consumer index (CI)        producer index (PI)
 *               |                          |
 *   ... free ...[ published, not released ][ free ...
 * </pre>
 *
 * <p>The producer fills the slot at PI and publishes it. The consumer reads slots from CI to PI, as often as it likes, and releases them
 * by advancing CI. Indexes only grow; each is written by one side, with an ordered store.
 *
 * @param <T> type of a slot; created when the slot is first claimed, then reused.
 */
public final class Ring<T> {
    /** Most slots of a ring. */
    public static final int MAX_CAPACITY = 1 << 22;

    private static final int PADDING = 128 / Long.BYTES;
    private static final int PRODUCER = PADDING;
    private static final int CONSUMER = 2 * PADDING;
    private static final VarHandle INDEX = MethodHandles.arrayElementVarHandle(long[].class);

    private final T[] slots;
    private final Supplier<T> maker;
    private final int mask;
    /** PI and CI, each 128 bytes from the other and from either end, so that no two threads write into neighbouring cache lines. */
    private final long[] indexes = new long[3 * PADDING];
    /** Value of CI when the producer last read it. The producer reads the shared index only when the ring appears full. */
    private long seenConsumerIndex;

    /**
     * @param minimumCapacity slots needed; rounded up to a power of two.
     * @param maker           creates a slot when it is first claimed.
     * @throws IllegalArgumentException for a capacity that is not in 1..{@link #MAX_CAPACITY}.
     */
    @SuppressWarnings("unchecked")
    public Ring(int minimumCapacity, Supplier<T> maker) {
        if (minimumCapacity < 1 || minimumCapacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("ring of " + minimumCapacity + " slots: use 1 to " + MAX_CAPACITY);
        }
        int capacity = Integer.highestOneBit(Math.max(1, 2 * minimumCapacity - 1));
        this.slots = (T[]) new Object[capacity];
        this.maker = maker;
        this.mask = capacity - 1;
    }

    /** Number of slots, a power of two. */
    public int capacity() {
        return slots.length;
    }

    /** Producer: returns the slot to fill next, or null when the ring is full. Before a publish it returns the same slot. */
    public T claim() {
        return claim(0);
    }

    /** Producer: as {@link #claim()}, with a number of slots filled before it that are not published yet. */
    public T claim(int filled) {
        long index = indexes[PRODUCER] + filled;
        if (index - seenConsumerIndex >= slots.length) {
            seenConsumerIndex = index(CONSUMER);
            if (index - seenConsumerIndex >= slots.length) {
                return null;
            }
        }
        int position = (int) index & mask;
        T slot = slots[position];
        if (slot == null) {
            slot = maker.get();
            slots[position] = slot;
        }
        return slot;
    }

    /** Producer: makes the claimed slot visible to the consumer. */
    public void publish() {
        publish(1);
    }

    /** Producer: makes a number of filled slots visible to the consumer at once. */
    public void publish(int filled) {
        INDEX.setRelease(indexes, PRODUCER, indexes[PRODUCER] + filled);
    }

    /** PI: one past the newest published slot. */
    public long producerIndex() {
        return index(PRODUCER);
    }

    /** CI: the oldest slot not yet released. */
    public long consumerIndex() {
        return index(CONSUMER);
    }

    /** Consumer: returns the slot at an index, CI to PI - 1. */
    public T get(long index) {
        return slots[(int) index & mask];
    }

    /** Consumer: releases every slot before an index. */
    public void release(long newConsumerIndex) {
        INDEX.setRelease(indexes, CONSUMER, newConsumerIndex);
    }

    /**
     * Slots in use, 0 to the capacity. Exact for the producer and the consumer, approximate for other threads: CI is read first, and PI
     * never is behind it, so the difference is not negative; between the two reads both may move on by any number.
     */
    public int size() {
        long consumed = index(CONSUMER);
        return (int) Math.min(index(PRODUCER) - consumed, slots.length);
    }

    private long index(int which) {
        return (long) INDEX.getVolatile(indexes, which);
    }
}
