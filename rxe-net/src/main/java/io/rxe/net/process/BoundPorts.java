package io.rxe.net.process;

import io.rxe.cm.PortSpace;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** The ports of connection management that the ids of the program are bound to. Any thread. */
public final class BoundPorts {
    /** The range Linux takes ports from for programs that name none. */
    private static final int FIRST_FREE = 32768;
    private static final int LAST_FREE = 60999;

    /** Ids that share a port: how many, and whether all agreed to. */
    private record Use(int ids, boolean shared) {
    }

    private final Function<String, RuntimeException> refusal;
    private final Map<PortSpace, Map<Integer, Use>> used = new EnumMap<>(PortSpace.class);

    /** @param refusal makes the exception for a port that cannot be had, of a sentence with the remedy. */
    public BoundPorts(Function<String, RuntimeException> refusal) {
        this.refusal = refusal;
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
     * @throws RuntimeException that of the constructor, when it is taken, or none is free.
     */
    public synchronized int take(PortSpace space, int port, boolean shared) {
        Map<Integer, Use> ports = used.get(space);
        int taken = port == 0 ? free(ports) : port;
        Use before = ports.get(taken);
        if (before != null && !(before.shared() && shared)) {
            throw refusal.apply(space + " port " + port + " is taken by another id of this program: use another, or let both share it");
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
        throw refusal.apply("ports " + FIRST_FREE + " to " + LAST_FREE + " are taken: destroy some ids");
    }

    public synchronized void release(PortSpace space, int port) {
        used.get(space).computeIfPresent(port, (number, use) -> use.ids() == 1 ? null : new Use(use.ids() - 1, use.shared()));
    }
}
