package io.rxe.device;

import io.rxe.port.Entropy;
import io.rxe.wire.Psn;
import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntHashSet;

/**
 * The queue pairs of one engine by number. Numbers are random, 24 bits, congruent to the engine's index modulo the number of engines
 * (so that every engine and the kernel's steering program know whose a packet is), and rest for a while after use: a late packet must
 * not find a stranger (rule P7).
 *
 * <p>Owned by the engine thread.
 */
final class QueuePairTable {
    /** How long a number rests after use. */
    static final long TIME_WAIT_NS = 4_000_000_000L;
    /** Numbers that never go to a queue pair of an application: 0 does not exist, 1 is connection management. */
    private static final int FIRST_NUMBER = 2;

    private record Resting(int number, long sinceNs) {
    }

    private final Int2ObjectHashMap<QueuePairTasks> queuePairs = new Int2ObjectHashMap<>();
    private final ArrayDeque<Resting> resting = new ArrayDeque<>();
    private final IntHashSet restingNumbers = new IntHashSet();
    private final int engine;
    private final int engines;

    QueuePairTable(int engine, int engines) {
        this.engine = engine;
        this.engines = engines;
    }

    QueuePairTasks find(int number) {
        return queuePairs.get(number);
    }

    /** Draws a number that is free. */
    int draw(Entropy entropy, long nowNs) {
        while (!resting.isEmpty() && nowNs - resting.peek().sinceNs() >= TIME_WAIT_NS) {
            restingNumbers.remove(resting.poll().number());
        }
        while (true) {
            int drawn = entropy.nextInt() & Psn.MASK;
            int number = drawn - drawn % engines + engine;
            if (number >= FIRST_NUMBER && number <= Psn.MASK && !queuePairs.containsKey(number) && !restingNumbers.contains(number)) {
                return number;
            }
        }
    }

    void add(QueuePairTasks queuePair) {
        queuePairs.put(queuePair.context().number(), queuePair);
    }

    void remove(QueuePairTasks queuePair, long nowNs) {
        int number = queuePair.context().number();
        if (queuePairs.remove(number) != null) {
            resting.add(new Resting(number, nowNs));
            restingNumbers.add(number);
        }
    }

    int size() {
        return queuePairs.size();
    }
}
