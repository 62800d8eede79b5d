package io.rxe.device;

import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Set;

/**
 * Configuration of a NIC.
 *
 * @param gids        addresses of the ports; index 0 is port 1. At most 16.
 * @param udpPort     UDP port the sockets are bound to.
 * @param portMtu     largest path MTU that fits the interface.
 * @param engines     number of engines, each driven by a thread of its own, 1 to 64.
 * @param windowBytes most bytes a queue pair may have in flight, at least 4096: as many as the peer's socket buffer holds.
 * @param broadcasts  broadcast addresses of the subnets that this machine is in; nothing is sent to them or taken from them.
 */
public record NicConfig(List<Gid> gids, int udpPort, PathMtu portMtu, int engines, int windowBytes, Set<Gid> broadcasts) {
    /** Window for unknown socket buffers. */
    public static final int DEFAULT_WINDOW_BYTES = 1024 * 1024;

    /** Most ports of a NIC: each has a socket of its own for each engine. */
    static final int MAX_PORTS = 16;
    /** Number of queue pairs to one peer that may use their whole window at the same time. */
    private static final int FULL_WINDOWS = 4;

    /** @throws IllegalArgumentException when the number of engines or the window is out of range. */
    public NicConfig {
        gids = List.copyOf(gids);
        if (gids.isEmpty() || gids.size() > MAX_PORTS || gids.stream().distinct().count() < gids.size()) {
            throw new IllegalArgumentException("ports " + gids + ": give 1 to " + MAX_PORTS + " different addresses");
        }
        if (engines < 1 || engines > 64) {
            throw new IllegalArgumentException("engines " + engines + " is not in 1..64");
        }
        if (windowBytes < 4096) {
            throw new IllegalArgumentException("windowBytes " + windowBytes + " < 4096: one packet must fit");
        }
        broadcasts = Set.copyOf(broadcasts);
    }

    /** Configuration for subnets without broadcast addresses. */
    public NicConfig(List<Gid> gids, int udpPort, PathMtu portMtu, int engines, int windowBytes) {
        this(gids, udpPort, portMtu, engines, windowBytes, Set.of());
    }

    /** Configuration with one port. */
    public NicConfig(Gid gid, int udpPort, PathMtu portMtu, int engines, int windowBytes) {
        this(List.of(gid), udpPort, portMtu, engines, windowBytes);
    }

    /** Configuration with one port and the default window. */
    public NicConfig(Gid gid, int udpPort, PathMtu portMtu, int engines) {
        this(gid, udpPort, portMtu, engines, DEFAULT_WINDOW_BYTES);
    }

    /** Whether an address can be that of one host: it is unicast, and not the broadcast address of a subnet. */
    public boolean isHost(Gid address) {
        return address.isUnicast() && !broadcasts.contains(address);
    }

    /** Address of port 1. */
    public Gid gid() {
        return gids.get(0);
    }

    /** Most bytes that all queue pairs of an engine together may have in flight to one peer. */
    public long peerWindowBytes() {
        return (long) FULL_WINDOWS * windowBytes;
    }
}
