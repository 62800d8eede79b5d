package io.rxe.cm;

import io.rxe.cm.exchange.PathLoad;
import io.rxe.cm.mad.AlternatePathStatus;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.wire.Gid;
import java.util.List;

/**
 * What became of an alternate path that was to be loaded (rule M1).
 *
 * @param status for the APR.
 * @param why    it could not be loaded; empty if it was.
 */
record LoadedPath(AlternatePathStatus status, String why) {
    /**
     * What to ask of the peer.
     *
     * @param gids addresses of this NIC's ports; index 0 is port 1.
     * @throws IllegalArgumentException if this NIC has no such port.
     */
    static PathLoad request(AlternatePath path, List<Gid> gids) {
        if (path.port() < 1 || path.port() > gids.size()) {
            throw new IllegalArgumentException("alternate path from port " + path.port() + " is not in 1.." + gids.size()
                + ": open the NIC with one more address for each further port");
        }
        return new PathLoad(gids.get(path.port() - 1), path.addressVector().destination(), path.timeout(), path);
    }

    /** Loads a path into a queue pair, which may be the application's to modify. */
    static LoadedPath of(PathLoad load, ConnectedQueuePair queuePair, List<Gid> gids, int udpPort) {
        int port = gids.indexOf(load.localGid()) + 1;
        if (queuePair.get() == null || port == 0) {
            return new LoadedPath(port == 0 && queuePair.get() != null ? AlternatePathStatus.INVALID_GID : AlternatePathStatus.UNSUPPORTED,
                load.localGid().address() + " is no port of this NIC, or the application modifies the queue pair itself");
        }
        try {
            AddressVector address = AddressVector.to(load.peerGid(), udpPort);
            queuePair.load(load.path() != null ? load.path() : new AlternatePath(address, port, load.timeout()));
            return new LoadedPath(AlternatePathStatus.LOADED, "");
        } catch (IllegalArgumentException | IllegalStateException e) {
            return new LoadedPath(AlternatePathStatus.REJECTED, e.getMessage());
        }
    }
}
