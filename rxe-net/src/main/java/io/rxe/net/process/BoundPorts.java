package io.rxe.net.process;

import io.rxe.cm.PortSpace;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The ports of connection management that the ids of the program are bound to. Any thread. */
public final class BoundPorts {
    /** The range Linux takes ports from for programs that name none. */
    private static final int FIRST_FREE = 32768;
    private static final int LAST_FREE = 60999;

    /** Ids that share a port: how many, and whether all agreed to. */
    private record Use(int ids, boolean shared) {
    }

    private final Map<PortSpace, Map<Integer, Use>> used = new EnumMap<>(PortSpace.class);

    public BoundPorts() {
        for (PortSpace space : PortSpace.values()) {
            used.put(space, new HashMap<>());
        }
    }

    /**
     * Takes a port.
     *
     * @param port   1 to 65535, or 0 for a free one.
     * @param shared whether other ids may have it too, if they agreed as well.
     * @return the port.
     * @throws RuntimeException {@link VerbFailure} with EADDRINUSE, when it is taken, or none is free.
     */
    public synchronized int take(PortSpace space, int port, boolean shared) {
        Map<Integer, Use> ports = used.get(space);
        int taken = port == 0 ? free(ports) : port;
        Use before = ports.get(taken);
        if (before != null && !(before.shared() && shared)) {
            throw refused(space + " port " + port + " is taken by another id of this program: use another, or let both share it");
        }
        ports.put(taken, new Use(before == null ? 1 : before.ids() + 1, shared));
        return taken;
    }

    private int free(Map<Integer, Use> ports) {
        int count = LAST_FREE - FIRST_FREE + 1;
        int start = ThreadLocalRandom.current().nextInt(count);
        for (int i = 0; i < count; i++) {
            int port = FIRST_FREE + (start + i) % count;
            if (!ports.containsKey(port)) {
                return port;
            }
        }
        throw refused("ports " + FIRST_FREE + " to " + LAST_FREE + " are taken: destroy some ids");
    }

    private static RuntimeException refused(String sentence) {
        return VerbFailure.of(VerbError.EADDRINUSE, sentence);
    }

    public synchronized void release(PortSpace space, int port) {
        used.get(space).computeIfPresent(port, (number, use) -> use.ids() == 1 ? null : new Use(use.ids() - 1, use.shared()));
    }
}
