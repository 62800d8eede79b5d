package io.rxe.device;

import io.rxe.port.Entropy;
import io.rxe.qp.QueuePairTasks;
import io.rxe.wire.Bth;
import io.rxe.wire.Psn;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntHashSet;

/**
 * The queue pairs of one engine by number. Numbers are random, 24 bits, and congruent to the engine's index modulo the number of engines,
 * so that every engine and the kernel's steering program can compute the owner of a packet. A number is not reused for a while after its
 * queue pair is destroyed, so that a late packet does not reach another queue pair (rule P7).
 *
 * <p>Owned by the engine thread.
 */
final class QueuePairTable {
    /** Time before a number is reused. */
    static final long TIME_WAIT_NS = 4_000_000_000L;
    /** First number for applications: 0 does not exist in RoCE, 1 is the general services interface. */
    private static final int FIRST_NUMBER = 2;
    /** Random draws before the table is searched. */
    private static final int MAX_DRAWS = 64;

    /** A number in TIME_WAIT. */
    private record Retired(int number, long sinceNs) {
    }

    private final Int2ObjectHashMap<QueuePairTasks> queuePairs = new Int2ObjectHashMap<>();
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();
    private final IntHashSet retiredNumbers = new IntHashSet();
    private final int engine;
    private final int engines;

    QueuePairTable(int engine, int engines) {
        this.engine = engine;
        this.engines = engines;
    }

    QueuePairTasks find(int number) {
        return queuePairs.get(number);
    }

    /**
     * Draws a free number. Where draws keep hitting numbers in use, takes the next free one after the last draw.
     *
     * @throws IllegalStateException when every number of the engine is in use or in TIME_WAIT.
     */
    int draw(Entropy entropy, long nowNs) {
        while (!retired.isEmpty() && nowNs - retired.peek().sinceNs() >= TIME_WAIT_NS) {
            retiredNumbers.remove(retired.poll().number());
        }
        int number = 0;
        for (int i = 0; i < MAX_DRAWS; i++) {
            int drawn = entropy.nextInt() & Psn.MASK;
            number = drawn - drawn % engines + engine;
            if (isFree(number)) {
                return number;
            }
        }
        for (int i = 0; i <= Psn.MASK / engines; i++) {
            number = number + engines > Psn.MASK ? engine : number + engines;
            if (isFree(number)) {
                return number;
            }
        }
        throw new IllegalStateException("all " + (Psn.MASK + 1) / engines + " queue pair numbers of engine " + engine + " are in use, "
            + retired.size() + " of them by queue pairs closed in the last " + TIME_WAIT_NS / 1_000_000_000 + " s: close some and wait");
    }

    private boolean isFree(int number) {
        boolean isNumber = number >= FIRST_NUMBER && number < Bth.MULTICAST_QPN;
        return isNumber && !queuePairs.containsKey(number) && !retiredNumbers.contains(number);
    }

    void add(QueuePairTasks queuePair) {
        queuePairs.put(queuePair.context().number(), queuePair);
    }

    void remove(QueuePairTasks queuePair, long nowNs) {
        int number = queuePair.context().number();
        if (queuePairs.remove(number) != null) {
            try {
                retired.add(new Retired(number, nowNs));
                retiredNumbers.add(number);
            } catch (OutOfMemoryError noMemory) {
                // What else a close does counts more; the next draw is the same number once in 2^24 times.
            }
        }
    }

    void forEach(Consumer<QueuePairTasks> action) {
        queuePairs.values().forEach(action);
    }

    int size() {
        return queuePairs.size();
    }
}
