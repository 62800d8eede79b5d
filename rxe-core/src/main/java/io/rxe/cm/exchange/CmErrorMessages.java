package io.rxe.cm.exchange;

import io.rxe.cm.mad.AlternatePathStatus;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.PartitionKeys;
import io.rxe.wire.Gid;

/** The explanations of error events: the peer, what was tried, for how long, and what to check. */
public final class CmErrorMessages {
    private CmErrorMessages() {
    }

    static String rejected(String target, int code) {
        RejectReason reason = RejectReason.of(code);
        String facts = "REJ " + code + ", " + reason.sentence();
        if (reason == RejectReason.INVALID_SERVICE_ID) {
            return "no listener on " + target + " (" + facts + "): " + reason.remedy();
        }
        return "connection to " + target + " refused (" + facts + "): " + reason.remedy();
    }

    static String rejectedAfterRtu(Gid peer, int localQpn, int code) {
        RejectReason reason = RejectReason.of(code);
        return peer.address() + " ended the connection of queue pair 0x" + Integer.toHexString(localQpn) + " with REJ " + code + ", "
            + reason.sentence() + ", instead of a DREQ: " + reason.remedy();
    }

    static String requestCancelled(Gid peer, int code) {
        RejectReason reason = RejectReason.of(code);
        return peer.address() + " cancelled its connection request (REJ " + code + ", " + reason.sentence() + "): " + reason.remedy();
    }

    static String noReply(String target, int sent, long elapsedNs, int udpPort, int partitionKey) {
        String partition = partitionKey == PartitionKeys.DEFAULT.key(0) ? "" : ", that it is in the partition of P_Key "
            + PartitionKeys.text(partitionKey);
        return "no answer from " + target + " to " + count(sent, "request") + " in " + CmTimes.seconds(elapsedNs)
            + ": check that the host is up, that it has an RDMA device with this address on UDP port " + udpPort + partition
            + ", and that no firewall stops that port";
    }

    static String noRtu(Gid peer, int sent, long elapsedNs, int udpPort) {
        return "no RTU from " + peer.address() + " to " + count(sent, "REP") + " in " + CmTimes.seconds(elapsedNs)
            + ": check that the peer is alive, and that UDP port " + udpPort + " is open in its direction too";
    }

    static String evicted(Gid peer, long elapsedNs, int limit) {
        return "no RTU from " + peer.address() + " in " + CmTimes.seconds(elapsedNs)
            + ", and newer requests needed its room (maxPeerExchanges " + limit + "): look for a flood of requests, or configure more";
    }

    static String undecided(Gid peer) {
        return "the request of " + peer.address() + " was neither accepted nor rejected before the peer gave up: take events sooner, and"
            + " reject unwanted requests";
    }

    static String undecidedService(Gid peer, int port) {
        return "the request of " + peer.address() + " for UDP port " + port + " was neither accepted nor rejected before the peer gave up:"
            + " take events sooner, and reject unwanted requests";
    }

    static String noDrep(Gid peer, int sent, long elapsedNs) {
        return "no answer from " + peer.address() + " to " + count(sent, "disconnect request") + " in " + CmTimes.seconds(elapsedNs)
            + ": the connection has ended on this side; check that the peer is alive";
    }

    static String notSent(String target, String why) {
        return "the request for " + target + " could not be sent: " + why;
    }

    static String disconnected(Gid peer) {
        return peer.address() + " ended the connection with a DREQ";
    }

    static String dreqNotSent(Gid peer, String why) {
        return "the disconnect request for " + peer.address() + " could not be sent: " + why;
    }

    static String stale(Gid peer, int remoteQpn) {
        return peer.address() + " uses its queue pair 0x" + Integer.toHexString(remoteQpn)
            + " for a new connection and so has forgotten this one: check whether the peer was restarted";
    }

    static String staleRep(Gid peer, int remoteQpn) {
        return peer.address() + " accepted with its queue pair 0x" + Integer.toHexString(remoteQpn)
            + ", which an older connection here still uses; that connection is being ended: connect again";
    }

    static String unresolved(String target, int code) {
        SidrStatus status = SidrStatus.of(code);
        if (status == SidrStatus.UNSUPPORTED) {
            return "no listener on " + target + " (SIDR status " + code + ", " + status.sentence() + "): " + status.remedy();
        }
        return "request for " + target + " refused (SIDR status " + code + ", " + status.sentence() + "): " + status.remedy();
    }

    static String noApr(Gid peer, int sent, long elapsedNs) {
        return "no answer from " + peer.address() + " to " + count(sent, "LAP") + " in " + CmTimes.seconds(elapsedNs)
            + ": no alternate path is loaded; check that the peer takes events, and that the path of the connection's begin works";
    }

    static String pathRefused(Gid peer, PathLoad load, int status) {
        return peer.address() + " did not load the alternate path from " + load.localGid().address() + " to " + load.peerGid().address()
            + " (APR status " + status + ", " + AlternatePathStatus.of(status).sentence() + "): give two ports that reach each other";
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
