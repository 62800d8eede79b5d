package io.rxe.tools.perftest;

import io.rxe.verbs.WorkRequest;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Keeps one message in flight. A SEND arrives as a completion. A WRITE makes none at its target, so its last byte carries the number of the
 * message, from 1 on, and the other side polls that byte of its memory. A READ has no answer: the client alone measures it.
 *
 * <pre>
 *   first side    post 1 ...... recv 1, post 2 ...... recv 2, post 3
 *   second side          recv 1, post 1 ...... recv 2, post 2
 * </pre>
 */
final class LatencyLoop {
    private final PerftestPlan plan;
    private final PerftestEndpoint endpoint;
    private final boolean sendsFirst;
    private final boolean isPingPong;
    private final long limit;
    private final WorkRequest request;
    private final Receiver receiver;
    private final UnsafeBuffer memory;
    private final int sourceByte;
    private final int targetByte;
    private final LatencySamples samples;
    private final SampleWindow window;
    private final PeerWatch watch;
    private long posted;
    private long completed;
    private long received;

    /** Posts the receives, if this side receives. */
    LatencyLoop(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes) {
        this.plan = plan;
        this.endpoint = endpoint;
        isPingPong = plan.verb() != PerftestVerb.READ;
        // As the original: with WRITE the server begins.
        sendsFirst = plan.isServer() == (plan.verb() == PerftestVerb.WRITE);
        limit = plan.totalIterations();
        receiver = plan.receives() ? new Receiver(plan, endpoint, handshake.peer(), sizeBytes) : null;
        request = endpoint.requests(0, sizeBytes)[0];
        memory = new UnsafeBuffer(endpoint.memory().bytes());
        sourceByte = endpoint.memory().source(0) + sizeBytes - 1;
        targetByte = endpoint.memory().target(0) + sizeBytes - 1;
        samples = new LatencySamples(plan.amount().isTimed() ? 0 : plan.amount().iterations(), isPingPong ? 2 : 1);
        window = new SampleWindow(plan.amount().durationSeconds());
        watch = new PeerWatch(plan.stallNs(), handshake, () -> state(handshake.peer()));
    }

    /** Runs until the count or the time is reached. */
    void run() {
        while (true) {
            int work = endpoint.sends().poll();
            completed += work;
            int arrived = receive();
            received += arrived;
            work += arrived;
            if (mayPost() && post()) {
                work++;
            }
            if (work > 0) {
                watch.progress();
            } else {
                watch.idle();
            }
            if (window.isTimed()) {
                long nowNs = System.nanoTime();
                window.update(nowNs, posted);
                if (window.isOver(nowNs)) {
                    return;
                }
            } else if (completed == limit && (!isPingPong || received >= limit)) {
                return;
            }
        }
    }

    /** Returns the number of new messages of the peer. */
    private int receive() {
        return switch (plan.verb()) {
            case SEND -> receiver.step();
            // Written by the engine's thread.
            case WRITE -> received < limit && memory.getByteVolatile(targetByte) == (byte) (received + 1) ? 1 : 0;
            case READ -> 0;
        };
    }

    private boolean mayPost() {
        return posted < limit && completed == posted && (!isPingPong || (sendsFirst ? received >= posted : received > posted));
    }

    private boolean post() {
        if (plan.verb() == PerftestVerb.WRITE) {
            memory.putByteVolatile(sourceByte, (byte) (posted + 1));
        }
        long nowNs = System.nanoTime();
        samples.onPost(nowNs);
        window.begin(nowNs);
        if (!endpoint.queuePair(0).postSend(request)) {
            return false;
        }
        posted++;
        return true;
    }

    LatencySamples samples() {
        return samples;
    }

    SampleWindow window() {
        return window;
    }

    private String state(String peer) {
        return (completed < posted ? "the completion of " + plan.verb().title() + " " + posted + " to " + peer
            : "message " + (received + 1) + " from " + peer)
            + ": is it still running, with the same options? Does a firewall drop UDP " + plan.peerUdpPort() + "?";
    }
}
