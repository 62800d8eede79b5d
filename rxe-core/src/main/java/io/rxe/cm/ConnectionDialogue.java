package io.rxe.cm;

import io.rxe.wire.Gid;

/** What both sides of a connection have: IDs, queue pair numbers, times, and an end. */
abstract class ConnectionDialogue extends Dialogue {
    private final TeardownMachine teardown = new TeardownMachine(this);
    private int localQpn;
    private int remoteId;
    private int remoteQpn;
    private int ackTimeoutCode;

    ConnectionDialogue(CmCore core, CmConnection connection, Gid peer) {
        super(core, connection, peer);
    }

    /** What the handshake has come to, for the application and for tests. */
    abstract boolean isEstablished();

    /** How long to wait for the answer to a DREQ: as for the answer to the handshake. */
    abstract long disconnectIntervalNs();

    /** Times a message is repeated. */
    abstract int maxRetries();

    final TeardownMachine teardown() {
        return teardown;
    }

    /** How long late messages are recognised: one transport timer (Linux: cm_enter_timewait). */
    final long timeWaitNs() {
        return CmTimes.timeoutNs(ackTimeoutCode);
    }

    final void ackTimeoutCode(int code) {
        ackTimeoutCode = code;
    }

    final int ackTimeoutCode() {
        return ackTimeoutCode;
    }

    final int localQpn() {
        return localQpn;
    }

    final void localQpn(int number) {
        localQpn = number;
    }

    final int remoteId() {
        return remoteId;
    }

    final int remoteQpn() {
        return remoteQpn;
    }

    final void remote(int id, int qpn) {
        remoteId = id;
        remoteQpn = qpn;
    }

    /**
     * Ends an older connection that still holds a queue pair of the peer: the peer has forgotten it, or it would not use the queue pair
     * for another.
     *
     * @return whether there was one.
     */
    static boolean endStale(CmCore core, PeerKey queuePair) {
        if (core.table().find(queuePair) instanceof ConnectionDialogue stale) {
            if (stale.isEstablished()) {
                stale.teardown().disconnect(Explanations.stale(stale));
            } else {
                stale.disconnect();
            }
            return true;
        }
        return false;
    }
}
