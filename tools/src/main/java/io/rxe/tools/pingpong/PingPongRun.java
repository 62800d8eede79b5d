package io.rxe.tools.pingpong;

import io.rxe.bench.StallWatch;
import io.rxe.bench.TransferFailure;
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
    /** Idle iterations, of which most sleep for microseconds, between two looks at the side channel. */
    private static final int CHECK_MASK = 0x3FF;
    /** Nothing arrived for so long before the peer's end counts: its last messages may still be retransmitted. */
    private static final long IDLE_NS = 2_000_000_000L;
    private static final int SEND_PENDING = 1;
    private static final int RECEIVE_PENDING = 2;

    private final PingPongEndpoint endpoint;
    private final PingPongExchange exchange;
    private final PingPongPlan plan;
    private final String peer;
    private final StallWatch watch;
    private final WorkCompletion completion = new WorkCompletion();
    private final int[] pending;
    private int idles;
    private long idleSinceNs;
    private int sent;
    private int received;
    private int receivesLeft;

    /**
     * @param posted receives posted before the exchange of addresses.
     * @param peer   the peer, for error messages.
     */
    PingPongRun(PingPongEndpoint endpoint, PingPongExchange exchange, PingPongPlan plan, int posted, String peer) {
        this.endpoint = endpoint;
        this.exchange = exchange;
        this.plan = plan;
        this.peer = peer;
        pending = new int[plan.queuePairs()];
        Arrays.fill(pending, RECEIVE_PENDING);
        receivesLeft = posted;
        watch = new StallWatch(plan.stallNs(), this::state);
    }

    /** Runs to the end. Returns the time from the first post to the last completion, in nanoseconds. */
    long run(boolean isClient) {
        long startNs = System.nanoTime();
        for (int i = 0; isClient && i < pending.length; i++) {
            send(i);
        }
        while (sent < plan.iterations() || received < plan.iterations()) {
            if (endpoint.completions().poll(completion)) {
                watch.progress();
                idles = 0;
                onCompletion();
            } else {
                idle();
            }
        }
        return System.nanoTime() - startNs;
    }

    private void idle() {
        watch.idle();
        if (idles == 0) {
            idleSinceNs = System.nanoTime();
        }
        idles++;
        if ((idles & CHECK_MASK) == 0 && System.nanoTime() - idleSinceNs >= IDLE_NS && exchange.hasPeerEnded()) {
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
                receivesLeft += endpoint.postReceives(plan.receiveDepth() - receivesLeft);
            }
        }
        if (pending[index] == 0 && sent < plan.iterations()) {
            pending[index] = RECEIVE_PENDING;
            send(index);
        }
    }

    private void checkLength() {
        long bytes = completion.byteLength() - plan.kind().headerBytes();
        if (bytes != plan.sizeBytes()) {
            throw new ToolFailure("message " + received + " from " + peer + " has " + bytes + " bytes instead of "
                + plan.sizeBytes() + ": use the same -s at both ends");
        }
    }

    private void send(int index) {
        while (!endpoint.postSend(index)) {
            idle();
        }
        pending[index] |= SEND_PENDING;
    }

    private String state() {
        boolean isReceiving = Arrays.stream(pending).anyMatch(bits -> (bits & RECEIVE_PENDING) != 0);
        String what = isReceiving ? "a message from " : "an acknowledgement from ";
        return what + peer + " (" + sent + " of " + plan.iterations() + " sent, " + received
            + " received): is it still running, with the same -n? Does a firewall drop UDP " + plan.peerUdpPort()
            + "? Does every link between carry payloads of "
            + (plan.kind() == PingPongKind.UD ? plan.sizeBytes() : plan.pathMtu().bytes()) + " bytes?"
            + (plan.kind().transport() == QueuePairType.RC ? "" : " A lost message is never retransmitted over " + plan.kind() + ".");
    }

    private ToolFailure failed() {
        boolean isSend = completion.workRequestId() == PingPongEndpoint.SEND_ID;
        String remedy = switch (completion.status()) {
            case RETRY_EXC_ERR -> "; use the same -m at both ends; if a smaller -s gets through, lower -m;"
                + " if the peer's NIC is on another UDP port, give --peer-udp-port";
            case LOC_LEN_ERR, REM_INV_REQ_ERR -> "; use the same -s and -m at both ends";
            default -> "";
        };
        return new ToolFailure((isSend ? "send " + (sent + 1) + " to " : "receive " + (received + 1) + " from ") + peer + " of "
            + plan.iterations() + " failed: " + TransferFailure.describe(completion) + remedy);
    }
}
