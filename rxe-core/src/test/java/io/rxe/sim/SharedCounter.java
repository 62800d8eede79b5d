package io.rxe.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * Eight bytes of a NIC that several queue pairs add to. Whatever their order was, the values that came back must form one chain in
 * which every addition took place exactly once.
 */
final class SharedCounter {
    private record Addition(Object origin, long addend, long original) {
    }

    final long address;
    final int key;
    private final long initial;
    private final List<Addition> additions = new ArrayList<>();
    private int uncertain;

    SharedCounter(long address, int key, long initial) {
        this.address = address;
        this.key = key;
        this.initial = initial;
    }

    /** An addition completed with success. */
    void completed(Object origin, long addend, long original) {
        additions.add(new Addition(origin, addend, original));
    }

    /** An addition may have taken place or not: its requester failed first. */
    void lost() {
        uncertain++;
    }

    /** Checks the chain against what is in memory now. */
    void check(long inMemory) {
        if (uncertain > 0) {
            return;
        }
        List<Addition> left = new ArrayList<>(additions);
        long value = initial;
        while (!left.isEmpty()) {
            long wanted = value;
            Addition next = left.stream().filter(addition -> addition.original() == wanted).findFirst().orElse(null);
            if (next == null) {
                throw new SimulationFailure("no FETCH_AND_ADD found " + value + " in the shared counter, yet " + left.size()
                    + " are left: one took effect twice, or not at all");
            }
            if (left.stream().filter(addition -> addition.origin() == next.origin()).findFirst().orElseThrow() != next) {
                throw new SimulationFailure("additions of one queue pair took effect out of order");
            }
            left.remove(next);
            value += next.addend();
        }
        if (value != inMemory) {
            throw new SimulationFailure("the shared counter is " + inMemory + ", the additions make " + value);
        }
    }
}
