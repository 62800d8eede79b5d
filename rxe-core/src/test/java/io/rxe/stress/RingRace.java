package io.rxe.stress;

import io.rxe.ring.Ring;
import java.util.Map;

/** {@link Ring}: the consumer sees whole slots in order, and the producer reuses a slot only after its release. */
final class RingRace extends Race {
    private static final int ITEMS = 3;
    private static final int CAPACITY = 2;
    private static final int LOOKS = 64;

    private Ring<long[]> ring;
    private String seen;
    private long round;

    RingRace() {
        super("ring", Map.of("nothing", Expectation.ACCEPTABLE, "1", Expectation.INTERESTING, "1 2", Expectation.INTERESTING, "1 2 3",
            Expectation.INTERESTING));
    }

    @Override
    protected void prepare() {
        ring = new Ring<>(CAPACITY, () -> new long[2]);
        round++;
    }

    /** Fills each slot with a value and its complement: a slot that does not match itself was read too early or reused too early. */
    @Override
    protected void first() {
        for (int item = 1; item <= ITEMS; item++) {
            long[] slot = ring.claim();
            if (slot == null) {
                return;
            }
            slot[0] = round * 8 + item;
            slot[1] = ~slot[0];
            ring.publish();
        }
    }

    @Override
    protected void second() {
        StringBuilder values = new StringBuilder();
        long index = ring.consumerIndex();
        for (int look = 0; look < LOOKS; look++) {
            if (index < ring.producerIndex()) {
                long[] slot = ring.get(index);
                long value = slot[0];
                long complement = slot[1];
                ring.release(++index);
                values.append(values.isEmpty() ? "" : " ").append(value == ~complement ? value - round * 8 : "torn");
            }
        }
        seen = values.isEmpty() ? "nothing" : values.toString();
    }

    @Override
    protected String outcome() {
        return seen;
    }
}
