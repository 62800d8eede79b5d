package io.rxe.ring;

import java.util.function.Supplier;
import org.jctools.util.PaddedAtomicLong;

/**
 * A bounded ring of reusable slots between one producer and one consumer.
 *
 * <pre>
 *        consumer index (CI)        producer index (PI)
 *               |                          |
 *   ... free ...[ published, not released ][ free ...
 * </pre>
 *
 * <p>The producer fills the slot at PI and publishes it; the consumer reads slots from CI to PI, in its own time and more than once,
 * and releases them by moving CI. Indexes only grow; each is written by one side, with an ordered store.
 *
 * @param <T> what a slot holds; made once, at construction or on first use.
 */
public final class Ring<T> {
    /** Most slots of a ring. */
    public static final int MAX_CAPACITY = 1 << 22;

    private final T[] slots;
    private final Supplier<T> maker;
    private final int mask;
    private final PaddedAtomicLong producerIndex = new PaddedAtomicLong();
    private final PaddedAtomicLong consumerIndex = new PaddedAtomicLong();
    /** The producer's last sight of CI, so that it reads the shared index only when the ring looks full. */
    private long seenConsumerIndex;
    private long highWater;

    /**
     * @param minimumCapacity slots needed; rounded up to a power of two.
     * @param maker           makes a slot when it is first claimed.
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

    /** Slots, a power of two. */
    public int capacity() {
        return slots.length;
    }

    /** Producer: the slot to fill next, or null when the ring is full. Claiming again without publishing answers the same slot. */
    public T claim() {
        long index = producerIndex.lpVal();
        if (index - seenConsumerIndex >= slots.length) {
            seenConsumerIndex = consumerIndex.get();
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

    /** Producer: makes the claimed slot visible. */
    public void publish() {
        long next = producerIndex.lpVal() + 1;
        producerIndex.lazySet(next);
        long used = next - seenConsumerIndex;
        if (used > highWater) {
            // Written only when it grows: the consumer reads what lies beside it.
            highWater = used;
        }
    }

    /** PI: one past the newest published slot. */
    public long producerIndex() {
        return producerIndex.get();
    }

    /** CI: the oldest slot not yet released. */
    public long consumerIndex() {
        return consumerIndex.get();
    }

    /** Consumer: the slot of an index from CI to PI - 1. */
    public T get(long index) {
        return slots[(int) index & mask];
    }

    /** Consumer: gives back every slot before an index. */
    public void release(long newConsumerIndex) {
        consumerIndex.lazySet(newConsumerIndex);
    }

    /** Slots in use now; exact for the producer and the consumer, a guess for others. */
    public int size() {
        return (int) (producerIndex.get() - consumerIndex.get());
    }

    /** Most slots that were in use at once, as the producer saw it. */
    public long highWater() {
        return highWater;
    }
}
