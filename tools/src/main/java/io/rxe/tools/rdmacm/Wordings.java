package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.WorkCompletion;

/** Sentences several of the programs say. */
final class Wordings {
    private Wordings() {
    }

    /** What the original prints for an event that ends the attempt. */
    static String eventLine(CmEvent event) {
        return "cma event " + event.type().rdmaName() + ", error " + event.status();
    }

    /** What went wrong with a work request, with whom, and what to look at. */
    static String failure(WorkCompletion completion, String what, String peer) {
        StringBuilder text = new StringBuilder(200).append(what).append(" with ").append(peer).append(" failed: ")
            .append(completion.status()).append(" (").append(completion.status().sentence()).append(')');
        if (!completion.explanation().isEmpty()) {
            text.append("; ").append(completion.explanation());
        }
        return text.toString();
    }

    /** Nothing comes from a server that was asked for a connection. */
    static String stillAsking(String peer, long waitedNs, int udpPort, boolean isSeeded) {
        return "note: no answer from " + peer + " for " + seconds(waitedNs) + ", still asking; is the host up, does it have an RDMA"
            + " device with this address, does a firewall drop UDP port " + udpPort + "?" + (isSeeded ? " With --seed the queue pair and"
            + " communication IDs are those of the last run: a peer that still holds its connection takes this request for a copy"
            + " and is silent; use another seed" : "");
    }

    /** A connected peer has fallen silent. */
    static String stalled(String peer, String awaited, long waitedNs, int udpPort) {
        return "nothing came from " + peer + " for " + seconds(waitedNs) + " while waiting for " + awaited
            + ": is it still running, does every link between carry packets of our path MTU, has a firewall closed UDP port " + udpPort
            + "? --stall-timeout waits longer";
    }

    static String seconds(long ns) {
        long tenths = ns / 100_000_000L;
        return tenths % 10 == 0 ? tenths / 10 + " s" : tenths / 10 + "." + tenths % 10 + " s";
    }
}
