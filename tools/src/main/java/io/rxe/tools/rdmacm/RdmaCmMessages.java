package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.WorkCompletion;

/** Messages that several of the programs print. */
final class RdmaCmMessages {
    private RdmaCmMessages() {
    }

    /** The line of the original for an event that ends the attempt. */
    static String eventLine(CmEvent event) {
        return "cma event " + event.type().rdmaName() + ", error " + event.status();
    }

    /** The failure of a work request, with the peer and the explanation. */
    static String failure(WorkCompletion completion, String what, String peer) {
        StringBuilder text = new StringBuilder(200).append(what).append(" with ").append(peer).append(" failed: ")
            .append(completion.status()).append(" (").append(completion.status().sentence()).append(')');
        if (!completion.explanation().isEmpty()) {
            text.append("; ").append(completion.explanation());
        }
        return text.toString();
    }

    /** A server has not replied to a connection request yet. */
    static String stillConnecting(String peer, long waitedNs, int udpPort, boolean isSeeded) {
        return "note: no reply from " + peer + " for " + seconds(waitedNs) + ", still trying; is the host up, does it have an RDMA"
            + " device with this address, does a firewall drop UDP port " + udpPort + "?" + (isSeeded ? " With --seed the queue pair and"
            + " communication IDs are those of the last run: a peer that still holds its connection treats this request as a duplicate"
            + " and does not reply; use another seed" : "");
    }

    /** A connected peer sends nothing. */
    static String stalled(String peer, String awaited, long waitedNs, int udpPort) {
        return "nothing arrived from " + peer + " for " + seconds(waitedNs) + " while waiting for " + awaited
            + ": is it still running, does every link between carry packets of our path MTU, does a firewall drop UDP port " + udpPort
            + "? A larger --stall-timeout waits longer";
    }

    static String seconds(long ns) {
        long tenths = ns / 100_000_000L;
        return tenths % 10 == 0 ? tenths / 10 + " s" : tenths / 10 + "." + tenths % 10 + " s";
    }
}
