package io.rxe.bench.perftest;

import io.rxe.bench.StallWatch;
import io.rxe.verbs.WorkRequest;

/**
 * One message under way at a time. What a turn is depends on the verb: subclasses say when a message of the peer has come.
 *
 * <pre>
 *   first side    post 1 ...... came 1, post 2 ...... came 2, post 3
 *   second side          came 1, post 1 ...... came 2, post 2
 * </pre>
 */
abstract class LatencyLoop {
    private final PerftestPlan plan;
    private final TestEndpoint endpoint;
    private final boolean isFirst;
    private final long limit;
    private final CompletionBatch completions;
    private final RequestTemplates templates;
    private final LatencySamples samples;
    private final SampleWindow window;
    private final StallWatch watch;
    private long posted;
    private long completed;

    /**
     * @param isFirst         whether this side opens the game.
     * @param roundTripFactor 2 when messages go both ways, otherwise 1.
     */
    LatencyLoop(PerftestPlan plan, TestEndpoint endpoint, PerftestHandshake agreed, int sizeBytes, boolean isFirst, int roundTripFactor) {
        this.plan = plan;
        this.endpoint = endpoint;
        this.isFirst = isFirst;
        limit = plan.amount().isTimed() ? Long.MAX_VALUE : plan.amount().iterations();
        completions = new CompletionBatch(endpoint.sends(), plan.verb().title() + " to " + agreed.peer());
        templates = new RequestTemplates(plan, endpoint, agreed, 0, sizeBytes);
        samples = new LatencySamples(plan.amount().isTimed() ? 0 : plan.amount().iterations(), roundTripFactor);
        window = new SampleWindow(plan.amount().durationSeconds());
        watch = new StallWatch(plan.stallNs(), () -> state(agreed.peer()));
    }

    /** Looks for a message of the peer. Returns how many came. */
    abstract int receive();

    /** Messages that came. */
    abstract long received();

    /** Whether messages come at all. */
    abstract boolean isAnswered();

    /** The next message is about to be posted: number {@code count}, from 1. */
    void beforePost(long count) {
        // Most need nothing.
    }


    /** Runs to the end. */
    final void run() {
        while (true) {
            int work = receive() + take();
            if (isOurTurn()) {
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
            } else if (completed == limit && (!isAnswered() || received() >= limit)) {
                return;
            }
        }
    }

    private boolean isOurTurn() {
        return posted < limit && completed == posted && (!isAnswered() || (isFirst ? received() >= posted : received() > posted));
    }

    private int take() {
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

    final LatencySamples samples() {
        return samples;
    }

    final SampleWindow window() {
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
