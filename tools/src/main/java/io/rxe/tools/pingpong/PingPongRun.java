package io.rxe.tools.pingpong;

import io.rxe.bench.StallWatch;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import java.util.Arrays;

/**
 * The exchange of messages. The client sends first; each side sends its next message when its last one has been acknowledged and one
 * from the peer has arrived. Both stop after a number of messages each way, without a message on the side channel. Several queue pairs
 * exchange messages independently, and their messages are counted together.
 */
final class PingPongRun {
    /** Longest sleep between two checks for the peer's farewell. */
    private static final long SLEEP_NS = 1_000_000_000L;
    /** Idle iterations, of which most sleep for microseconds, between two checks for the farewell. */
    private static final int FAREWELL_MASK = 0x3FF;
    private static final int SEND_PENDING = 1;
    private static final int RECEIVE_PENDING = 2;

    private final PingPongEndpoint endpoint;
    private final PingPongKind kind;
    private final PingPongOptions options;
    private final String peer;
    private final int udpPort;
    private final StallWatch watch;
    private final PingPongFarewell farewell;
    private int idles;
    private final WorkCompletion completion = new WorkCompletion();
    private final int[] pending;
    private int sent;
    private int received;
    private int receivesLeft;

    /**
     * @param posted receives posted before the exchange of addresses.
     * @param peer    the peer, for error messages.
     * @param udpPort of the peer's NIC, for error messages.
     */
    PingPongRun(PingPongEndpoint endpoint, PingPongKind kind, PingPongOptions options, int posted, String peer, int udpPort,
                PingPongFarewell farewell) {
        this.udpPort = udpPort;
        this.farewell = farewell;
        this.endpoint = endpoint;
        this.kind = kind;
        this.pending = new int[endpoint.queuePairCount()];
        Arrays.fill(pending, RECEIVE_PENDING);
        this.options = options;
        this.receivesLeft = posted;
        this.peer = peer;
        this.watch = new StallWatch(options.stallNs(), this::state);
    }

    /** Runs to the end. */
    PingPongResult run(boolean isClient) {
        long startNs = System.nanoTime();
        for (int i = 0; isClient && i < pending.length; i++) {
            send(i);
        }
        while (sent < options.iterations() || received < options.iterations()) {
            if (endpoint.completions().poll(completion)) {
                onProgress();
                onCompletion();
            } else if (options.isEvents()) {
                sleep();
            } else {
                idle();
            }
        }
        return new PingPongResult(options.sizeBytes(), options.iterations(), System.nanoTime() - startNs);
    }

    private void onProgress() {
        watch.progress();
        farewell.progress();
        idles = 0;
    }

    private void idle() {
        watch.idle();
        idles++;
        if ((idles & FAREWELL_MASK) == 0) {
            checkPeer();
        }
    }

    private void checkPeer() {
        if (farewell.isOver()) {
            throw new ToolFailure("the peer ended before this end: see its output for the reason, and use the same -n at both ends;"
                + " this end waited for " + state());
        }
    }

    private void onCompletion() {
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw failed();
        }
        int index = endpoint.indexOf(completion.queuePairNumber());
        if (completion.workRequestId() == PingPongEndpoint.SEND_ID) {
            sent++;
            pending[index] &= ~SEND_PENDING;
        } else {
            received++;
            pending[index] &= ~RECEIVE_PENDING;
            receivesLeft--;
            checkLength();
            if (receivesLeft <= pending.length) {
                receivesLeft += endpoint.postReceives(options.receiveDepth() - receivesLeft);
            }
        }
        if (pending[index] == 0 && sent < options.iterations()) {
            pending[index] = RECEIVE_PENDING;
            send(index);
        }
    }

    private void checkLength() {
        long bytes = completion.byteLength() - kind.headerBytes();
        if (bytes != options.sizeBytes()) {
            throw new ToolFailure("message " + received + " from " + peer + " has " + bytes + " bytes instead of "
                + options.sizeBytes() + ": use the same -s at both ends");
        }
    }

    private void send(int index) {
        while (!endpoint.postSend(index)) {
            idle();
        }
        pending[index] |= SEND_PENDING;
    }

    // Arms, polls once more, and only then sleeps: a completion that arrived before the arming is not reported.
    private void sleep() {
        endpoint.completions().requestNotification(false);
        if (endpoint.completions().poll(completion)) {
            onProgress();
            onCompletion();
            return;
        }
        try {
            long beganNs = System.nanoTime();
            while (endpoint.channel().await(Math.min(SLEEP_NS, options.stallNs())) == null) {
                checkPeer();
                if (System.nanoTime() - beganNs >= options.stallNs()) {
                    throw new ToolFailure(StallWatch.sentence(options.stallNs(), state()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolFailure("interrupted while waiting for " + state(), e);
        }
    }

    private String state() {
        boolean isReceiving = Arrays.stream(pending).anyMatch(bits -> (bits & RECEIVE_PENDING) != 0);
        String what = isReceiving ? "a message from " : "an acknowledgement from ";
        return what + peer + " (" + sent + " of " + options.iterations() + " sent, " + received
            + " received): is it still running, with the same -n? Does a firewall drop UDP " + udpPort + "? Does every link between"
            + " carry payloads of " + (kind == PingPongKind.UD ? options.sizeBytes() : options.pathMtu().bytes()) + " bytes?"
            + (kind.transport() == QueuePairType.RC ? "" : " A lost message is never retransmitted over " + kind + ".");
    }

    private ToolFailure failed() {
        StringBuilder text = new StringBuilder(200);
        boolean isSend = completion.workRequestId() == PingPongEndpoint.SEND_ID;
        text.append(isSend ? "send " + (sent + 1) + " to " : "receive " + (received + 1) + " from ").append(peer).append(" of ")
            .append(options.iterations()).append(" failed: ").append(completion.status()).append(" (")
            .append(completion.status().sentence()).append(')');
        if (!completion.explanation().isEmpty()) {
            text.append("; ").append(completion.explanation());
        }
        switch (completion.status()) {
            case RETRY_EXC_ERR -> text.append("; use the same -m at both ends; if a smaller -s gets through, lower -m;"
                + " if the peer's NIC is on another UDP port, give --peer-udp-port");
            case LOC_LEN_ERR, REM_INV_REQ_ERR -> text.append("; use the same -s and -m at both ends");
            default -> {
                // The status text suffices.
            }
        }
        return new ToolFailure(text.toString());
    }
}
