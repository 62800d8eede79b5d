package io.rxe.disni;

import io.rxe.disni.Failure.VerbFailure;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** The ports the ids of the program are bound to. Any thread. */
final class BoundPorts {
    /** The range Linux takes ports from for programs that name none. */
    private static final int FIRST_FREE = 32768;
    private static final int LAST_FREE = 60999;

    private final Set<Integer> used = new HashSet<>();

    /**
     * Takes a port.
     *
     * @param port 1 to 65535, or 0 for a free one.
     * @return the port.
     * @throws VerbFailure when it is taken, or none is free.
     */
    synchronized int take(int port) {
        int taken = port == 0 ? free() : port;
        if (!used.add(taken)) {
            throw new VerbFailure(Failure.ADDRESS_IN_USE, "port " + port + " is taken by another id of this program: use another");
        }
        return taken;
    }

    private int free() {
        int count = LAST_FREE - FIRST_FREE + 1;
        int start = ThreadLocalRandom.current().nextInt(count);
        for (int i = 0; i < count; i++) {
            int port = FIRST_FREE + (start + i) % count;
            if (!used.contains(port)) {
                return port;
            }
        }
        throw new VerbFailure(Failure.ADDRESS_IN_USE, "ports " + FIRST_FREE + " to " + LAST_FREE + " are taken: destroy some ids");
    }

    synchronized void release(int port) {
        used.remove(port);
    }
}
