package io.rxe.tools.pingpong;

import io.rxe.bench.StallWatch;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;

/**
 * The exchange of messages of {@code xsrq_pingpong}. The server sends the first message to each client; then each end answers each message
 * with one, up to a number for each client. Only the last message for a client is signaled.
 *
 * <p>The server sends to a client over the queue pairs to that client's NIC in turn, as the original does: any of them reaches all shared
 * receive queues of the XRC domain. The original takes all clients for users of one device.
 */
final class XsrqRun {
    /** Longest sleep between two checks for the peer's end. */
    private static final long SLEEP_NS = 1_000_000_000L;
    /** Idle iterations, of which most sleep for microseconds, between two checks. */
    private static final int CHECK_MASK = 0x3FF;

    private final XsrqEndpoint endpoint;
    private final XsrqLinks links;
    private final XsrqOptions options;
    private final StallWatch watch;
    private final WorkCompletion completion = new WorkCompletion();
    /** The queue pairs over which each client can be reached. */
    private final List<List<Integer>> routes = new ArrayList<>();
    private final int[] sent;
    private final long total;
    private long received;
    private int completed;
    private int idles;
    /** A peer had ended at the check before. */
    private boolean isPeerEnded;

    XsrqRun(XsrqEndpoint endpoint, XsrqLinks links, XsrqOptions options) {
        this.endpoint = endpoint;
        this.links = links;
        this.options = options;
        watch = new StallWatch(options.stallNs(), this::state);
        sent = new int[endpoint.clients()];
        total = (long) endpoint.clients() * options.iterations();
        for (int i = 0; i < endpoint.clients(); i++) {
            routes.add(routesTo(i));
        }
    }

    /** A client of ours sends over its own queue pair, since the server knows it by that. */
    private List<Integer> routesTo(int client) {
        if (!links.isServer()) {
            return List.of(client);
        }
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < endpoint.clients(); i++) {
            int sender = (client + i) % endpoint.clients();
            if (links.remotes().get(sender).gid().equals(links.remotes().get(client).gid())) {
                found.add(sender);
            }
        }
        return found;
    }

    /** Runs to the end: all messages are received, and the last one for each client is acknowledged. */
    void run() {
        for (int i = 0; links.isServer() && i < endpoint.clients(); i++) {
            send(i);
        }
        while (received < total || completed < endpoint.clients()) {
            if (pollReceives() | pollSends()) {
                watch.progress();
                idles = 0;
            } else if (options.isEvents() && received < total) {
                sleep();
            } else {
                idle();
            }
        }
    }

    private boolean pollReceives() {
        boolean found = false;
        List<CompletionQueue> queues = endpoint.receiveCompletions();
        for (int i = 0; i < queues.size(); i++) {
            while (queues.get(i).poll(completion)) {
                found = true;
                onReceive(i);
            }
        }
        return found;
    }

    private void onReceive(int queue) {
        if (!completion.isSuccess()) {
            throw failed("receive");
        }
        if (completion.byteLength() != options.sizeBytes()) {
            throw new ToolFailure("a message has " + completion.byteLength() + " bytes instead of " + options.sizeBytes()
                + ": use the same -s at both ends");
        }
        received++;
        endpoint.postReceive(queue);
        int client = links.isServer() ? endpoint.clientOf(completion.queuePairNumber()) : queue;
        if (sent[client] < options.iterations()) {
            send(client);
        }
    }

    private boolean pollSends() {
        boolean found = false;
        while (endpoint.sendCompletions().poll(completion)) {
            found = true;
            if (!completion.isSuccess()) {
                throw failed("send");
            }
            completed++;
        }
        return found;
    }

    private void send(int client) {
        List<Integer> route = routes.get(client);
        int sender = route.get(sent[client] % route.size());
        sent[client]++;
        while (!endpoint.postSend(sender, client, links.remotes().get(client).queueNumber(), sent[client] == options.iterations())) {
            // Earlier messages wait for their acknowledgements.
            idle();
            pollSends();
        }
    }

    private void idle() {
        watch.idle();
        idles++;
        if ((idles & CHECK_MASK) == 0) {
            checkPeers();
        }
    }

    // What arrived before the peer's end is polled first: the peer may have ended because of it, or be done.
    private void checkPeers() {
        String peer = links.ended();
        boolean wasPeerEnded = isPeerEnded;
        isPeerEnded = peer != null;
        if (isPeerEnded && wasPeerEnded) {
            throw new ToolFailure("the peer " + peer + " ended before this end: see its output for the reason, and use the same -n at"
                + " all ends; this end waited for " + state());
        }
    }

    // Arms, polls once more, and only then sleeps: a completion that arrived before the arming is not reported.
    private void sleep() {
        endpoint.receiveCompletions().forEach(queue -> queue.requestNotification(false));
        if (pollReceives()) {
            watch.progress();
            return;
        }
        try {
            long idleSinceNs = System.nanoTime();
            while (endpoint.channel().await(Math.min(SLEEP_NS, options.stallNs())) == null) {
                if (pollSends()) {
                    idleSinceNs = System.nanoTime();
                }
                checkPeers();
                if (System.nanoTime() - idleSinceNs >= options.stallNs()) {
                    throw new ToolFailure(StallWatch.sentence(options.stallNs(), state()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolFailure("interrupted while waiting for " + state(), e);
        }
    }

    private String state() {
        String what = received < total ? "messages" : "acknowledgements";
        String others = received == 0 && !links.isServer() ? " The server sends first: does it still wait for other clients (-c)?" : "";
        return what + " (" + received + " of " + total + " received, the last one acknowledged for " + completed + " of "
            + endpoint.clients() + " clients): are the peers still running, with the same -n? Does a firewall drop UDP?" + others;
    }

    private ToolFailure failed(String what) {
        StringBuilder text = new StringBuilder(200);
        text.append(what).append(" failed: ").append(completion.status()).append(" (").append(completion.status().sentence()).append(')');
        if (!completion.explanation().isEmpty()) {
            text.append("; ").append(completion.explanation());
        }
        switch (completion.status()) {
            case RETRY_EXC_ERR -> text.append("; use the same -m at both ends; if the peer's NIC is on another UDP port, give"
                + " --peer-udp-port");
            case LOC_LEN_ERR -> text.append("; use the same -s and -m at both ends");
            case REM_INV_REQ_ERR -> text.append("; use the same -s and -m at both ends; the original sends to a client over the"
                + " connections of others, so that all its clients must be users of one NIC, as with `rxe xsrq_pingpong -c N HOST`");
            default -> {
                // The status text suffices.
            }
        }
        return new ToolFailure(text.toString());
    }
}
