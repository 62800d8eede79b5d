package io.rxe.device;

import io.rxe.fault.VerbFaults;
import io.rxe.port.EcnOptions;
import io.rxe.qp.context.FramePool;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Configuration of a NIC.
 *
 * @param gids          addresses of the ports; index 0 is port 1. At most 16.
 * @param udpPort       UDP port the sockets are bound to.
 * @param portMtu       largest path MTU that fits the interface.
 * @param engines       number of engines, each driven by a thread of its own, 1 to 64.
 * @param windowBytes   most bytes a queue pair may have in flight on a path that holds nothing itself, at least 4096: as many as the
 *                      peer's socket buffer holds.
 * @param broadcasts    broadcast addresses of the subnets that this machine is in; nothing is sent to them or taken from them.
 * @param reorderBytes  most bytes of memory for requests that arrived behind a gap, all engines together.
 * @param pathBytes     most bytes in flight to one peer on any path, at least windowBytes.
 * @param partitionKeys the P_Key table of each port.
 * @param ecn           whether packets may be marked, and peers are notified of marks.
 * @param congestion    which congestion controller queue pairs have that did not choose one.
 * @param faults        what fails on purpose; {@link VerbFaults#NONE} for nothing.
 */
public record NicConfig(List<Gid> gids, int udpPort, PathMtu portMtu, int engines, int windowBytes, Set<Gid> broadcasts,
                        long reorderBytes, long pathBytes, PartitionKeys partitionKeys, EcnOptions ecn, CongestionOptions congestion,
                        VerbFaults faults) {
    /** Window for unknown socket buffers. */
    public static final int DEFAULT_WINDOW_BYTES = 1024 * 1024;

    /** A third of it, what one queue pair may hold, is 1 Gbit/s for 200 ms at a path MTU of 1024, with headers and index. */
    public static final long DEFAULT_REORDER_BYTES = 96L << 20;
    /** Largest memory for requests behind a gap. */
    public static final long MAX_REORDER_BYTES = 16L << 30;
    /** 1 Gbit/s with a round trip of half a second. */
    public static final long DEFAULT_PATH_BYTES = 64L << 20;

    /** Most ports of a NIC: each has a socket of its own for each engine. */
    static final int MAX_PORTS = 16;
    /** Number of queue pairs to one peer that may use their whole window at the same time. */
    private static final int FULL_WINDOWS = 4;

    /** @throws IllegalArgumentException when a number is out of range. */
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
        checkReorderBytes(reorderBytes, engines);
        if (pathBytes < windowBytes) {
            throw new IllegalArgumentException("pathBytes " + pathBytes + " < windowBytes " + windowBytes + ": no path holds less");
        }
        broadcasts = Set.copyOf(broadcasts);
        Objects.requireNonNull(partitionKeys, "the P_Key table is null: give PartitionKeys.DEFAULT");
        Objects.requireNonNull(congestion, "congestion is null: use CongestionOptions.DELAY");
        Objects.requireNonNull(faults, "the faults are null: give VerbFaults.NONE");
    }

    /** @throws IllegalArgumentException when the memory for requests behind a gap is too little for the engines, or beyond the limit. */
    public static void checkReorderBytes(long bytes, int engines) {
        long least = (long) engines * FramePool.MIN_BYTES;
        if (bytes < least || bytes > MAX_REORDER_BYTES) {
            throw new IllegalArgumentException("reorderBytes " + bytes + " is not in " + least + ".." + MAX_REORDER_BYTES + ": each of "
                + engines + " engines needs " + FramePool.MIN_BYTES + " to keep what arrives behind a gap");
        }
    }

    /** Most bytes of memory of an engine for requests that arrived behind a gap. */
    public long engineReorderBytes() {
        return reorderBytes / engines;
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
