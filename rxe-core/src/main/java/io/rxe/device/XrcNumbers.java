package io.rxe.device;

import io.rxe.port.Entropy;
import io.rxe.wire.Psn;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The numbers of a NIC's XRC shared receive queues: random, so that a peer does not hit the queue of another by mistake. Any thread. */
final class XrcNumbers {
    /** Half of what 24 bits hold, so that a free number is soon found. */
    static final int MAX_QUEUES = 1 << 23;

    private final Set<Integer> used = ConcurrentHashMap.newKeySet();

    /** @throws IllegalStateException when too many are in use. */
    int draw(Entropy entropy) {
        if (used.size() >= MAX_QUEUES) {
            throw new IllegalStateException("the NIC has " + MAX_QUEUES + " XRC shared receive queues, its maximum: close one first");
        }
        while (true) {
            int number = entropy.nextInt() & Psn.MASK;
            if (number != 0 && used.add(number)) {
                return number;
            }
        }
    }

    void release(int number) {
        used.remove(number);
    }
}
