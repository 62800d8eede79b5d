package io.rxe.sim;

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
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/** Two NICs and a test that chooses the datagrams to drop, for traces with as few packets as possible. */
final class ScriptedPair implements Network.Tap {
    static final int PSN = 0x10;

    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network(this);
    final NicNode left;
    final NicNode right;
    final CompletionQueue completions;
    final QueuePair requester;
    final QueuePair responder;
    final MemoryRegion leftMemory;
    final MemoryRegion rightMemory;
    final List<String> sent = new ArrayList<>();

    /** @param lost whether the network loses a datagram, which is given as {@link #describe} prints it. */
    ScriptedPair(int maxRdAtomic, Predicate<String> lost) {
        SeededRandom random = new SeededRandom(1);
        left = node(random, "10.0.0.1");
        right = node(random, "10.0.0.2");
        LinkFaults path = new LinkFaults().latency(50_000);
        network.connect(left, right, path, random.fork()).dropIf(datagram -> lost.test(describe(datagram)));
        network.connect(right, left, path, random.fork()).dropIf(datagram -> lost.test(describe(datagram)));
        int access = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
        leftMemory = left.domain().register(access, 0, ByteBuffer.allocateDirect(1 << 16));
        rightMemory = right.domain().register(access, 0, ByteBuffer.allocateDirect(1 << 16));
        completions = left.nic().createCompletionQueue(64);
        CompletionQueue other = right.nic().createCompletionQueue(64);
        requester = left.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
        responder = right.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, other, other));
        connect(requester, right, responder, maxRdAtomic);
        connect(responder, left, requester, maxRdAtomic);
    }

    private NicNode node(SeededRandom random, String address) {
        return new NicNode(time, network, random.fork(), TestConfig.of(Gid.parse(address), 4791, PathMtu.MTU_4096, 1),
            new NicNode.SinkSettings(false, 0), 0);
    }

    private static void connect(QueuePair pair, NicNode peerNode, QueuePair peer, int maxRdAtomic) {
        pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
        pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peerNode.gid()), PathMtu.MTU_256, peer.number(), PSN)
            .maxDestRdAtomic(maxRdAtomic).minRnrTimer(12));
        pair.modify(QueuePairAttributes.toReadyToSend(PSN).maxRdAtomic(maxRdAtomic));
    }

    /** Opcode and distance from the first PSN, for instance {@code RC_RDMA_READ_REQUEST 2}. */
    private static String describe(Datagram datagram) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        return Opcode.of(Bth.opcode(buffer, 0)) + " " + (Bth.psn(buffer, 0) - PSN);
    }

    /** Processes events until {@code count} requests have completed; fails when no event is left. */
    List<WorkCompletion> run(int count) {
        List<WorkCompletion> done = new ArrayList<>();
        while (done.size() < count) {
            long next = Math.min(network.nextArrivalNs(), Math.min(left.nextPollNs(), right.nextPollNs()));
            if (next == Long.MAX_VALUE) {
                throw new SimulationFailure("no event is left; sent so far: " + sent);
            }
            time.advanceTo(next);
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
            WorkCompletion completion = new WorkCompletion();
            while (completions.poll(completion)) {
                done.add(completion);
                completion = new WorkCompletion();
            }
        }
        return done;
    }

    long nowNs() {
        return time.nowNs();
    }

    /** How often a packet was sent, which is given as {@link #describe} prints it. */
    long count(String what) {
        return sent.stream().filter(what::equals).count();
    }

    /** Number of packets sent with an opcode. */
    long countOf(Opcode opcode) {
        return sent.stream().filter(text -> text.startsWith(opcode + " ")).count();
    }

    @Override
    public void onSent(Datagram datagram, long nowNs) {
        sent.add(describe(datagram));
    }

    @Override
    public void onDelivered(Node destination, Datagram datagram, long nowNs) {
        // Traces record sent datagrams only.
    }

    @Override
    public void afterDelivery(Node destination, Datagram datagram, long nowNs) {
        // Traces record sent datagrams only.
    }
}
