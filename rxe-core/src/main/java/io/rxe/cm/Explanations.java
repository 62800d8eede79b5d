package io.rxe.cm;

import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.wire.Gid;

/** The sentences of error events: the peer, what was tried, how long, and what to check. */
final class Explanations {
    private static final String MAPPED = "::ffff:";

    private Explanations() {
    }

    /** An address as people write it: an IPv4 address without the prefix of its GID. */
    static String address(Gid gid) {
        String text = gid.toString();
        return gid.isIpv4() ? text.substring(MAPPED.length()) : text;
    }

    private static String target(ConnectRequest request) {
        return request.portSpace() + " port " + request.port() + " at " + address(request.peer());
    }

    static String rejected(ConnectRequest request, int code) {
        RejectReason reason = RejectReason.of(code);
        String facts = "REJ " + code + ", " + reason.sentence();
        if (reason == RejectReason.INVALID_SERVICE_ID) {
            return "no listener on " + target(request) + " (" + facts + "): " + reason.remedy();
        }
        return "connection to " + target(request) + " refused (" + facts + "): " + reason.remedy();
    }

    static String rejectedLater(ConnectionDialogue dialogue, int code) {
        RejectReason reason = RejectReason.of(code);
        return address(dialogue.peer()) + " ended the connection of queue pair 0x" + Integer.toHexString(dialogue.localQpn())
            + " with REJ " + code + ", " + reason.sentence() + ", instead of a disconnect: " + reason.remedy();
    }

    static String takenBack(PassiveDialogue dialogue, int code) {
        RejectReason reason = RejectReason.of(code);
        return address(dialogue.peer()) + " took back its request for a connection (REJ " + code + ", " + reason.sentence() + "): "
            + reason.remedy();
    }

    static String noAnswer(ConnectRequest request, Resend resend, CmConfig config, long nowNs) {
        return "no answer from " + target(request) + " to " + count(resend.sent(), "request") + " in "
            + CmTimes.seconds(resend.elapsedNs(nowNs))
            + ": check that the host is up, that it has an RDMA device with this address on UDP port "
            + config.udpPort() + ", and that no firewall stops that port";
    }

    static String noReady(PassiveDialogue dialogue, Resend resend, CmConfig config, long nowNs) {
        return "no RTU from " + address(dialogue.peer()) + " to " + count(resend.sent(), "REP") + " in "
            + CmTimes.seconds(resend.elapsedNs(nowNs))
            + ": check that the peer is alive, and that UDP port " + config.udpPort() + " is open in its direction too";
    }

    static String undecided(PassiveDialogue dialogue) {
        return "request of " + address(dialogue.peer()) + " was neither accepted nor rejected, and the peer has given up: take events"
            + " sooner, or reject what is not wanted";
    }

    static String undecidedService(AnswerDialogue dialogue, Listener listener) {
        return "request of " + address(dialogue.peer()) + " for UDP port " + listener.port()
            + " was neither accepted nor rejected, and the peer has given up: take events sooner, or reject what is not wanted";
    }

    static String noAnswerToDisconnect(ConnectionDialogue dialogue, Resend resend, long nowNs) {
        return "no answer from " + address(dialogue.peer()) + " to " + count(resend.sent(), "disconnect request") + " in "
            + CmTimes.seconds(resend.elapsedNs(nowNs)) + ": the connection is over on this side; check that the peer is alive";
    }

    static String stale(ConnectionDialogue dialogue) {
        return address(dialogue.peer()) + " uses its queue pair 0x" + Integer.toHexString(dialogue.remoteQpn())
            + " for a new connection and so has forgotten this one: check whether the peer was restarted";
    }

    static String staleReply(ActiveDialogue dialogue) {
        return address(dialogue.peer()) + " answered with its queue pair 0x" + Integer.toHexString(dialogue.remoteQpn())
            + ", which an older connection still holds here; that one is being ended now: connect again";
    }

    static String unresolved(ConnectRequest request, int code) {
        SidrStatus status = SidrStatus.of(code);
        if (status == SidrStatus.UNSUPPORTED) {
            return "no listener on " + target(request) + " (SIDR status " + code + ", " + status.sentence() + "): " + status.remedy();
        }
        return "request for " + target(request) + " refused (SIDR status " + code + ", " + status.sentence() + "): " + status.remedy();
    }

    static String queuePairFailed(CmConnection connection, RuntimeException cause) {
        return "the connection with " + address(connection.peer()) + " was given up because the queue pair could not be set up: "
            + cause.getMessage();
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
