package io.rxe.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * Eight bytes of a NIC that several queue pairs add to. The returned original values must form one chain in which every addition was
 * executed exactly once, in any order.
 */
final class SharedCounter {
    private record Addition(Object origin, long addend, long original) {
    }

    final long address;
    final int key;
    private final long initial;
    private final List<Addition> additions = new ArrayList<>();
    private int unconfirmed;

    SharedCounter(long address, int key, long initial) {
        this.address = address;
        this.key = key;
        this.initial = initial;
    }

    /** An addition completed with success. */
    void completed(Object origin, long addend, long original) {
        additions.add(new Addition(origin, addend, original));
    }

    /** Whether an addition was executed is unknown: its requester failed first. */
    void lost() {
        unconfirmed++;
    }

    /** Checks the chain against the value in memory. */
    void check(long inMemory) {
        if (unconfirmed > 0) {
            return;
        }
        List<Addition> left = new ArrayList<>(additions);
        long value = initial;
        while (!left.isEmpty()) {
            long wanted = value;
            Addition next = left.stream().filter(addition -> addition.original() == wanted).findFirst().orElse(null);
            if (next == null) {
                throw new SimulationFailure("no FETCH_AND_ADD returned " + value + " of the shared counter, although " + left.size()
                    + " are left: one was executed twice, or not at all");
            }
            if (left.stream().filter(addition -> addition.origin() == next.origin()).findFirst().orElseThrow() != next) {
                throw new SimulationFailure("additions of one queue pair were executed out of order");
            }
            left.remove(next);
            value += next.addend();
        }
        if (value != inMemory) {
            throw new SimulationFailure("the shared counter is " + inMemory + ", the sum of the additions is " + value);
        }
    }
}
