package io.rxe.cm.exchange;

import io.rxe.verbs.AlternatePath;
import io.rxe.wire.Gid;

/**
 * An alternate path as a LAP names it, seen from this side.
 *
 * @param localGid  port of this side.
 * @param peerGid   port of the peer.
 * @param timeout   transport timer code, 0 to 31.
 * @param path      the same as an attribute of a queue pair; null on the side that received the LAP and has yet to find its port.
 */
public record PathLoad(Gid localGid, Gid peerGid, int timeout, AlternatePath path) {
}
