package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.device.NicConfig;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Transfers equal messages from one NIC over a faulty link to another NIC or to a go-back-N receiver, in virtual time. Measures the number
 * of data frames and the time.
 */
final class Transfer implements Network.Tap {
    /** Data frames sent, data frames a lossless network needs, virtual time, payload, and counters of the requester. */
    record Result(long dataFrames, long needed, long elapsedNs, long bytes, String counters) {
        double amplification() {
            return (double) dataFrames / needed;
        }

        double bitsPerSecond() {
            return bytes * 8e9 / elapsedNs;
        }
    }

    private static final int FIRST_PSN = 0xFFFF00;
    private static final Gid LEFT = Gid.parse("10.0.0.1");
    private static final Gid RIGHT = Gid.parse("10.0.0.2");
    private static final int REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ;

    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network(this);
    private final Operation operation;
    private final int messages;
    private final int messageBytes;
    private final PathMtu mtu;
    private final int depth;
    private final NicNode left;
    private final Node right;
    private final CompletionQueue completions;
    private final QueuePair requester;
    private final MemoryRegion local;
    private MemoryRegion target;
    private QueuePair responder;
    private CompletionQueue receiveCompletions;
    private long dataFrames;
    private long doneNs;
    private final CaptureFile capture;

    /**
     * @param toGoBackN whether the receiver is a {@link GoBackNNode}.
     * @param depth     messages outstanding at once.
     */
    Transfer(long seed, Operation operation, int messages, int messageBytes, PathMtu mtu, int depth, boolean toGoBackN,
             LinkFaults there, LinkFaults back, CaptureFile capture) {
        this.operation = operation;
        this.messages = messages;
        this.messageBytes = messageBytes;
        this.mtu = mtu;
        this.depth = depth;
        this.capture = capture;
        SeededRandom random = new SeededRandom(seed);
        left = node(random, LEFT);
        completions = left.nic().createCompletionQueue(4096);
        requester = left.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(512, 512));
        local = left.domain().register(REMOTE, 0, ByteBuffer.allocateDirect(messageBytes + 8));
        right = toGoBackN ? new GoBackNNode(time, network, RIGHT, mtu.bytes(), requester.number(), FIRST_PSN) : ourPeer(random);
        network.connect(left, right, there, random.fork());
        network.connect(right, left, back, random.fork());
        connect(requester, RIGHT, responder == null ? 0x17 : responder.number());
        if (responder != null) {
            connect(responder, LEFT, requester.number());
        }
    }

    private NicNode node(SeededRandom random, Gid gid) {
        return new NicNode(time, network, random.fork(), new NicConfig(gid, 4791, PathMtu.MTU_4096, 1, 1 << 20),
            new NicNode.SinkSettings(false, 0), 2_000);
    }

    private NicNode ourPeer(SeededRandom random) {
        NicNode node = node(random, RIGHT);
        receiveCompletions = node.nic().createCompletionQueue(4096);
        responder = node.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, receiveCompletions, receiveCompletions)
            .withRequests(512, 512));
        target = node.domain().register(REMOTE, 0, ByteBuffer.allocateDirect(messageBytes + 8));
        return node;
    }

    private void connect(QueuePair pair, Gid peer, int peerQpn) {
        pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ));
        pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer), mtu, peerQpn, FIRST_PSN));
        pair.modify(QueuePairAttributes.toReadyToSend(FIRST_PSN));
    }

    Result run() {
        long beginNs = time.nowNs();
        WorkRequest request = new WorkRequest();
        ReceiveRequest receive = new ReceiveRequest();
        WorkCompletion completion = new WorkCompletion();
        int posted = 0;
        int received = 0;
        int done = 0;
        while (done < messages) {
            while (responder != null && received < messages && received - done < 2 * depth
                && responder.postReceive(receive.clear().add(target, 0, messageBytes))) {
                received++;
            }
            while (posted < messages && posted - done < depth && requester.postSend(fill(request))) {
                posted++;
            }
            step();
            while (completions.poll(completion)) {
                if (!completion.isSuccess()) {
                    throw new SimulationFailure("transfer failed: " + completion);
                }
                done++;
                doneNs = time.nowNs();
            }
            while (receiveCompletions != null && receiveCompletions.poll(completion)) {
                if (!completion.isSuccess()) {
                    throw new SimulationFailure("transfer failed: " + completion);
                }
            }
        }
        long frames = (long) messages * ((messageBytes + mtu.bytes() - 1) / mtu.bytes());
        StringBuilder counters = new StringBuilder();
        for (NicCounter counter : List.of(NicCounter.RETRANSMITTED_PKTS, NicCounter.RCVD_SEQ_ERR, NicCounter.IMPLIED_NAK,
            NicCounter.LOSS_PROBE, NicCounter.ACK_TIMEOUT)) {
            counters.append(counters.isEmpty() ? "" : " ").append(counter.label()).append(' ').append(left.nic().counter(counter));
        }
        return new Result(dataFrames, frames, doneNs - beginNs, (long) messages * messageBytes, counters.toString());
    }

    private WorkRequest fill(WorkRequest request) {
        int key = target == null ? 1 : target.rKey();
        request.clear();
        switch (operation) {
            case SEND -> request.send();
            case RDMA_WRITE -> request.write(0, key);
            case RDMA_READ -> request.read(0, key);
            default -> throw new IllegalArgumentException(operation + ": use SEND, RDMA_WRITE or RDMA_READ");
        }
        return request.add(local, 0, messageBytes);
    }

    private void step() {
        long next = Math.min(network.nextArrivalNs(), Math.min(left.nextPollNs(), right.nextPollNs()));
        if (next == Long.MAX_VALUE) {
            throw new SimulationFailure("no event is left, and the transfer is not complete");
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
    }

    @Override
    public void onSent(Datagram datagram, long nowNs) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        if (HeaderValidator.payloadLength(buffer, 0, datagram.bytes.length, opcode) > 0) {
            dataFrames++;
        }
        if (capture != null) {
            capture.write(datagram, nowNs, "sent");
        }
    }

    @Override
    public void onDelivered(Node destination, Datagram datagram, long nowNs) {
        if (capture != null) {
            capture.write(datagram, nowNs, "arrives");
        }
    }

    @Override
    public void afterDelivery(Node destination, Datagram datagram, long nowNs) {
        // Only sent frames count.
    }
}
