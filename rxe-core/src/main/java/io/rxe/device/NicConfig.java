package io.rxe.device;

import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;

/**
 * What a NIC is told about its surroundings.
 *
 * @param gid         address of the port.
 * @param udpPort     UDP port the sockets are bound to.
 * @param portMtu     largest path MTU the interface carries.
 * @param engines     threads that drive it, 1 to 64.
 * @param windowBytes bytes a queue pair may have under way at most: what the peer's socket buffer holds.
 */
public record NicConfig(Gid gid, int udpPort, PathMtu portMtu, int engines, int windowBytes) {
    /** Window when nothing is known about socket buffers. */
    public static final int DEFAULT_WINDOW_BYTES = 1024 * 1024;

    /** Queue pairs to one peer that may use their whole window at the same time. */
    private static final int FULL_WINDOWS = 4;

    /** @throws IllegalArgumentException for a number of engines or a window out of range. */
    public NicConfig {
        if (engines < 1 || engines > 64) {
            throw new IllegalArgumentException("engines " + engines + " is not in 1..64");
        }
        if (windowBytes < 4096) {
            throw new IllegalArgumentException("windowBytes " + windowBytes + " < 4096: one packet must fit");
        }
    }

    /** With the default window. */
    public NicConfig(Gid gid, int udpPort, PathMtu portMtu, int engines) {
        this(gid, udpPort, portMtu, engines, DEFAULT_WINDOW_BYTES);
    }

    /** Bytes that all queue pairs of an engine together may have under way to one peer. */
    public long peerWindowBytes() {
        return (long) FULL_WINDOWS * windowBytes;
    }
}
