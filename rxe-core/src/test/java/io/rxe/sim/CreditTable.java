package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.device.TestConfig;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a receiver that posts slowly costs, with end-to-end credits and without: RNR NAKs, retransmissions and time, in virtual time. The
 * sender posts all of its messages at once. The receiver begins with {@link #FIRST} receives and posts one more at an interval. Without
 * credits is with a shared receive queue, which gives none (rule R19).
 *
 * <pre>
 *   tools/dev/test-main rxe-core io.rxe.sim.CreditTable
 * </pre>
 */
public final class CreditTable {
    /** Receives posted before the first message. */
    static final int FIRST = 16;
    private static final int MESSAGES = 200;
    private static final int BYTES = 4000;
    private static final int PSN = 0xFFFFF0;

    private CreditTable() {
    }

    /** What one transfer cost. */
    record Line(double intervalMs, double loss, boolean withCredits, long rnrNaks, long retransmitted, long grants, double elapsedMs) {
    }

    /** One transfer. */
    private static final class SlowReceiver implements Network.Tap {
        private final VirtualTime time = new VirtualTime();
        private final Network network = new Network(this);
        private final NicNode left;
        private final NicNode right;
        private final CompletionQueue sent;
        private final CompletionQueue received;
        private final QueuePair sender;
        private final QueuePair receiver;
        private final SharedReceiveQueue shared;
        private final MemoryRegion source;
        private final MemoryRegion target;

        SlowReceiver(double loss, boolean withCredits) {
            SeededRandom random = new SeededRandom(1);
            left = node(random, "10.0.0.1");
            right = node(random, "10.0.0.2");
            LinkFaults faults = new LinkFaults().latency(20_000).loss(loss);
            network.connect(left, right, faults, random.fork());
            network.connect(right, left, faults, random.fork());
            sent = left.nic().createCompletionQueue(MESSAGES);
            received = right.nic().createCompletionQueue(MESSAGES);
            source = left.domain().register(AccessFlags.LOCAL_WRITE, 0, ByteBuffer.allocateDirect(BYTES));
            target = right.domain().register(AccessFlags.LOCAL_WRITE, 0, ByteBuffer.allocateDirect(BYTES));
            sender = left.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, sent, sent).withRequests(MESSAGES, 1));
            shared = withCredits ? null : right.domain().createSharedReceiveQueue(MESSAGES, 1);
            QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, received, received).withRequests(1, MESSAGES);
            receiver = right.domain().createQueuePair(withCredits ? config : config.withSharedReceiveQueue(shared));
            connect(sender, right, receiver);
            connect(receiver, left, sender);
        }

        private NicNode node(SeededRandom random, String address) {
            return new NicNode(time, network, random.fork(), TestConfig.of(Gid.parse(address), 4791, PathMtu.MTU_4096, 1),
                new NicNode.SinkSettings(false, 0), 2_000);
        }

        private static void connect(QueuePair pair, NicNode peerNode, QueuePair peer) {
            pair.modify(QueuePairAttributes.toInit(0));
            pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peerNode.gid()), PathMtu.MTU_1024, peer.number(), PSN)
                .minRnrTimer(12));
            pair.modify(QueuePairAttributes.toReadyToSend(PSN).timeout(14).retryCount(7).rnrRetry(7));
        }

        private void postReceive() {
            ReceiveRequest receive = new ReceiveRequest().add(target, 0, BYTES);
            boolean posted = shared == null ? receiver.postReceive(receive) : shared.postReceive(receive);
            if (!posted) {
                throw new SimulationFailure("the receive queue is full");
            }
        }

        Line run(double intervalMs, double loss) {
            int posted = 0;
            while (posted < FIRST) {
                postReceive();
                posted++;
            }
            WorkRequest request = new WorkRequest().send().add(source, 0, BYTES);
            for (int i = 0; i < MESSAGES; i++) {
                sender.postSend(request);
            }
            long intervalNs = (long) (intervalMs * 1e6);
            long nextPostNs = time.nowNs() + intervalNs;
            int done = 0;
            while (done < MESSAGES) {
                step(posted < MESSAGES ? nextPostNs : Long.MAX_VALUE);
                if (posted < MESSAGES && time.nowNs() >= nextPostNs) {
                    postReceive();
                    posted++;
                    nextPostNs += intervalNs;
                }
                done += drain(sent);
                drain(received);
            }
            return new Line(intervalMs, loss, shared == null, right.nic().counter(NicCounter.SEND_RNR_ERR),
                left.nic().counter(NicCounter.RETRANSMITTED_PKTS), right.nic().counter(NicCounter.SENT_CREDIT_GRANTS),
                time.nowNs() / 1e6);
        }

        private static int drain(CompletionQueue queue) {
            WorkCompletion completion = new WorkCompletion();
            int count = 0;
            while (queue.poll(completion)) {
                if (!completion.isSuccess()) {
                    throw new SimulationFailure("failed: " + completion);
                }
                count++;
            }
            return count;
        }

        private void step(long atMostNs) {
            time.advanceTo(Math.min(atMostNs, Math.min(network.nextArrivalNs(), Math.min(left.nextPollNs(), right.nextPollNs()))));
            long now = time.nowNs();
            while (network.deliver(now)) {
                // Delivers all datagrams that are due.
            }
            if (left.nextPollNs() <= now) {
                left.poll(now);
            }
            if (right.nextPollNs() <= now) {
                right.poll(now);
            }
        }

        @Override
        public void onSent(Datagram datagram, long nowNs) {
            // Counters show what was sent.
        }

        @Override
        public void onDelivered(Node destination, Datagram datagram, long nowNs) {
            // Counters show what arrived.
        }

        @Override
        public void afterDelivery(Node destination, Datagram datagram, long nowNs) {
            // Nothing is checked here.
        }
    }

    /** The cost of {@link #MESSAGES} messages to a receiver that posts a receive at an interval. */
    static Line measure(double intervalMs, double loss, boolean withCredits) {
        return new SlowReceiver(loss, withCredits).run(intervalMs, loss);
    }

    public static void main(String[] arguments) {
        List<Line> lines = new ArrayList<>();
        for (double loss : new double[] {0, 0.01}) {
            for (double intervalMs : new double[] {0.1, 1, 10, 100}) {
                lines.add(measure(intervalMs, loss, false));
                lines.add(measure(intervalMs, loss, true));
            }
        }
        System.out.println("| a receive every | loss each way | credits | RNR NAKs | packets retransmitted | grants | time |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (Line line : lines) {
            System.out.printf(Locale.ROOT, "| %.1f ms | %.0f %% | %s | %d | %d | %d | %.0f ms |%n", line.intervalMs(), 100 * line.loss(),
                line.withCredits() ? "yes" : "no", line.rnrNaks(), line.retransmitted(), line.grants(), line.elapsedMs());
        }
    }
}
