package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.verbs.WorkRequest;

/**
 * Keeps one message in flight. Subclasses detect the peer's messages, which differs by verb.
 *
 * <pre>
 *   first side    post 1 ...... recv 1, post 2 ...... recv 2, post 3
 *   second side          recv 1, post 1 ...... recv 2, post 2
 * </pre>
 */
public abstract class LatencyLoop {
    private final PerftestPlan plan;
    private final PerftestEndpoint endpoint;
    private final boolean sendsFirst;
    private final long limit;
    private final CompletionBatch completions;
    private final RequestTemplates templates;
    private final LatencySamples samples;
    private final SampleWindow window;
    private final PeerWatch watch;
    private long posted;
    private long completed;

    /**
     * @param sendsFirst      whether this side sends the first message.
     * @param roundTripFactor 2 if messages go both ways, otherwise 1.
     */
    LatencyLoop(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes, boolean sendsFirst,
        int roundTripFactor) {
        this.plan = plan;
        this.endpoint = endpoint;
        this.sendsFirst = sendsFirst;
        limit = plan.amount().isTimed() ? Long.MAX_VALUE : plan.amount().iterations();
        completions = new CompletionBatch(endpoint.sends(), plan.verb().title() + " to " + handshake.peer());
        templates = new RequestTemplates(plan, endpoint, handshake, 0, sizeBytes);
        samples = new LatencySamples(plan.amount().isTimed() ? 0 : plan.amount().iterations(), roundTripFactor);
        window = new SampleWindow(plan.amount().durationSeconds());
        watch = new PeerWatch(plan.stallNs(), handshake, () -> state(handshake.peer()));
    }

    /** Checks for messages of the peer. Returns the number of new ones. */
    abstract int receive();

    /** Messages received so far. */
    abstract long received();

    /** Whether the peer sends messages too. */
    abstract boolean isPingPong();

    /** Called before message number {@code count}, from 1, is posted. */
    void beforePost(long count) {
        // Nothing to prepare.
    }


    /** Runs until the count or the time is reached. */
    public final void run() {
        while (true) {
            int work = receive() + pollCompletions();
            if (mayPost()) {
                post();
                work++;
            }
            if (work > 0) {
                watch.progress();
            } else {
                watch.idle();
            }
            if (window.isTimed()) {
                long nowNs = System.nanoTime();
                if (window.update(nowNs, posted)) {
                    samples.restart();
                }
                if (window.isOver(nowNs)) {
                    return;
                }
            } else if (completed == limit && (!isPingPong() || received() >= limit)) {
                return;
            }
        }
    }

    private boolean mayPost() {
        return posted < limit && completed == posted && (!isPingPong() || (sendsFirst ? received() >= posted : received() > posted));
    }

    private int pollCompletions() {
        int count = completions.poll();
        completed += count;
        return count;
    }

    private void post() {
        beforePost(posted + 1);
        WorkRequest request = templates.of(posted);
        long nowNs = System.nanoTime();
        samples.onPost(nowNs);
        window.begin(nowNs);
        if (endpoint.queuePair(0).postSend(request)) {
            posted++;
        }
    }

    public final LatencySamples samples() {
        return samples;
    }

    public final SampleWindow window() {
        return window;
    }

    final long limit() {
        return limit;
    }

    private String state(String peer) {
        return (completed < posted ? "the completion of " + plan.verb().title() + " " + posted + " to " + peer
            : "message " + (received() + 1) + " from " + peer)
            + ": is it still running, with the same options? Does a firewall drop UDP " + plan.path().peerUdpPort() + "?";
    }
}
