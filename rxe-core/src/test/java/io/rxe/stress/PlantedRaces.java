package io.rxe.stress;

import io.rxe.memory.BufferList;
import io.rxe.memory.KeyCache;
import io.rxe.memory.KeySlot;
import io.rxe.memory.KeyTable;
import io.rxe.memory.Region;
import io.rxe.ring.Ring;
import io.rxe.verbs.AccessFlags;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/** The protocols of the other races with one mistake each, all of them visible on x86, to show that a race can fail. */
final class PlantedRaces {
    /** A look takes some nanoseconds, and the other thread may begin a microsecond later. */
    private static final int LOOKS = 1000;

    private PlantedRaces() {
    }

    static List<Race> all() {
        return List.of(new PublishedBeforeFilled(), new TwoProducers(), new TwoConsumers(), new AnsweredAfterServing(),
            new ArmedWithoutFence(), new ClosedWithoutGracePeriod());
    }

    /** Filling a slot and sending a packet take their time. */
    private static void work() {
        for (int i = 0; i < 50; i++) {
            Thread.onSpinWait();
        }
    }

    /** A ring whose producer index moves before the slot is written. */
    private static final class PublishedBeforeFilled extends Race {
        private final AtomicInteger producerIndex = new AtomicInteger();
        private final AtomicInteger slot = new AtomicInteger();
        private String seen;

        PublishedBeforeFilled() {
            super("planted: published before filled", Map.of("nothing", Expectation.ACCEPTABLE, "whole", Expectation.INTERESTING));
        }

        @Override
        protected void prepare() {
            producerIndex.set(0);
            slot.set(0);
        }

        @Override
        protected void first() {
            producerIndex.lazySet(1);
            work();
            slot.lazySet(1);
        }

        @Override
        protected void second() {
            seen = "nothing";
            for (int look = 0; look < LOOKS; look++) {
                if (producerIndex.get() == 1) {
                    seen = slot.get() == 1 ? "whole" : "torn";
                    return;
                }
            }
        }

        @Override
        protected String outcome() {
            return seen;
        }
    }

    /** Two threads at the producer's end of a ring, which neither of them has for itself. */
    private static final class TwoProducers extends Race {
        private static final int ITEMS = 4;

        private Ring<long[]> ring;

        TwoProducers() {
            super("planted: two producers", Map.of("all", Expectation.ACCEPTABLE));
        }

        @Override
        protected void prepare() {
            ring = new Ring<>(2 * ITEMS, () -> new long[1]);
        }

        @Override
        protected void first() {
            produce(0);
        }

        @Override
        protected void second() {
            produce(ITEMS);
        }

        private void produce(int from) {
            for (int i = from; i < from + ITEMS; i++) {
                ring.claim()[0] = 1L << i;
                ring.publish();
            }
        }

        @Override
        protected String outcome() {
            long found = 0;
            for (long index = ring.consumerIndex(); index < ring.producerIndex(); index++) {
                long[] slot = ring.get(index);
                found |= slot == null ? 0 : slot[0];
            }
            return found == (1 << 2 * ITEMS) - 1 ? "all" : "lost";
        }
    }

    /** Two threads at the consumer's end of a ring, which neither of them has for itself. */
    private static final class TwoConsumers extends Race {
        private static final int ITEMS = 8;

        private final Ring<long[]> ring = new Ring<>(ITEMS, () -> new long[1]);
        private long ofFirst;
        private long ofSecond;

        TwoConsumers() {
            super("planted: two consumers", Map.of("once", Expectation.ACCEPTABLE));
        }

        @Override
        protected void prepare() {
            ring.release(ring.producerIndex());
            for (int i = 0; i < ITEMS; i++) {
                ring.claim()[0] = 1L << Byte.SIZE * i;
                ring.publish();
            }
        }

        @Override
        protected void first() {
            ofFirst = consume();
        }

        @Override
        protected void second() {
            ofSecond = consume();
        }

        private long consume() {
            long taken = 0;
            for (int i = 0; i < ITEMS; i++) {
                long index = ring.consumerIndex();
                if (index < ring.producerIndex()) {
                    taken += ring.get(index)[0];
                    ring.release(index + 1);
                }
            }
            return taken;
        }

        @Override
        protected String outcome() {
            return ofFirst + ofSecond == 0x0101_0101_0101_0101L ? "once" : "twice or never";
        }
    }

    /** A doorbell whose flag is taken down after the queue was read instead of before. */
    private static final class AnsweredAfterServing extends Race {
        private final AtomicInteger posted = new AtomicInteger();
        private final AtomicBoolean rung = new AtomicBoolean();
        private int served;
        private int atOnce;

        AnsweredAfterServing() {
            super("planted: answered after serving", Map.of("all later", Expectation.ACCEPTABLE, "some at once", Expectation.INTERESTING,
                "all at once", Expectation.INTERESTING));
        }

        @Override
        protected void prepare() {
            posted.set(0);
            rung.set(false);
            served = 0;
        }

        @Override
        protected void first() {
            for (int i = 0; i < 2; i++) {
                posted.lazySet(posted.get() + 1);
                rung.getAndSet(true);
            }
        }

        @Override
        protected void second() {
            for (int look = 0; look < LOOKS; look++) {
                serve();
            }
            atOnce = served;
        }

        private void serve() {
            if (rung.get()) {
                served = posted.get();
                work();
                rung.set(false);
            }
        }

        @Override
        protected String outcome() {
            serve();
            return served < 2 ? "lost" : atOnce == 2 ? "all at once" : atOnce == 1 ? "some at once" : "all later";
        }
    }

    /** Arming by Dekker's pattern, but each side's load may overtake its store. */
    private static final class ArmedWithoutFence extends Race {
        private final AtomicInteger completions = new AtomicInteger();
        private final AtomicInteger armed = new AtomicInteger();
        private boolean found;
        private boolean notified;

        ArmedWithoutFence() {
            super("planted: armed without a fence", Map.of("found by polling", Expectation.ACCEPTABLE, "notified", Expectation.ACCEPTABLE,
                "found and notified", Expectation.INTERESTING));
        }

        @Override
        protected void prepare() {
            completions.set(0);
            armed.set(0);
        }

        @Override
        protected void first() {
            armed.lazySet(1);
            found = completions.getAcquire() == 1;
        }

        @Override
        protected void second() {
            completions.lazySet(1);
            notified = armed.getAcquire() == 1;
        }

        @Override
        protected String outcome() {
            return found ? notified ? "found and notified" : "found by polling" : notified ? "notified" : "lost";
        }
    }

    /** The real key table and cache, but the memory is taken for free without waiting for the engine. */
    private static final class ClosedWithoutGracePeriod extends Race {
        private static final int KEY = 0x1234_5678;
        private static final int BYTES = 1024;

        private final KeyTable table = new KeyTable();
        private final KeyCache cache = new KeyCache(table);
        private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        private final UnsafeBuffer payload = new UnsafeBuffer(new byte[BYTES]);
        private Region region;
        private byte atClose;

        ClosedWithoutGracePeriod() {
            super("planted: closed without a grace period", Map.of("written before close", Expectation.INTERESTING, "refused",
                Expectation.ACCEPTABLE));
            payload.setMemory(0, BYTES, (byte) 2);
        }

        @Override
        protected void prepare() {
            memory.put(BYTES - 1, (byte) 1);
            region = new Region(KEY, 1, AccessFlags.ALL, 0, new BufferList(memory));
            table.add(KeySlot.Type.REGION, region);
        }

        @Override
        protected void first() {
            table.remove(table.slot(KEY));
            atClose = memory.get(BYTES - 1);
            memory.put(BYTES - 1, (byte) 3);
        }

        @Override
        protected void second() {
            Region found = cache.find(KEY, 1, AccessFlags.REMOTE_WRITE, 0, BYTES);
            if (found != null) {
                found.write(0, payload, 0, BYTES);
            }
        }

        @Override
        protected String outcome() {
            return memory.get(BYTES - 1) != 3 ? "written after close" : atClose == 2 ? "written before close" : "refused";
        }
    }
}
