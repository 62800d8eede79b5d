package io.rxe.sim;

import io.rxe.device.NicConfig;
import io.rxe.device.NicInspection;
import io.rxe.fault.VerbFaults;
import io.rxe.port.EcnOptions;
import io.rxe.port.Flow;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PartitionKeys;
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
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Supplier;
import org.agrona.collections.LongArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Transfers equal messages from NICs over one path to another NIC or to a go-back-N receiver, in virtual time.
 *
 * <pre>
 *   sender 1: queue pairs  ---+
 *   sender 2: queue pairs  ---+--- bottleneck there ---> receiver
 *   ModelSender            ---+ &lt;--- bottleneck back ---
 * </pre>
 */
final class Transfer implements Network.Tap {
    static final int UDP_PORT = 4791;
    private static final int FIRST_PSN = 0xFFFF00;
    private static final Gid RIGHT = Gid.parse("10.0.1.1");
    private static final int REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ;

    /** One queue pair that sends, and its peer unless that is a go-back-N receiver. */
    private static final class Lane {
        final Operation operation;
        final QueuePair requester;
        final QueuePair responder;
        final MemoryRegion local;
        final MemoryRegion remote;
        final LongArrayList postedNs = new LongArrayList();
        int completed;
        boolean isFailed;

        Lane(Operation operation, QueuePair requester, QueuePair responder, MemoryRegion local, MemoryRegion remote) {
            this.operation = operation;
            this.requester = requester;
            this.responder = responder;
            this.local = local;
            this.remote = remote;
        }
    }

    private record Event(long atNs, Runnable action) {
    }

    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network(this);
    private final Bottleneck bottleneckThere = new Bottleneck();
    private final Bottleneck bottleneckBack = new Bottleneck();
    private final TransferPlan plan;
    private final SeededRandom random;
    private final List<Node> nodes = new ArrayList<>();
    private final List<NicNode> senders = new ArrayList<>();
    private final List<CompletionQueue> completions = new ArrayList<>();
    private final List<Lane> lanes = new ArrayList<>();
    private final WorkRequest request = new WorkRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion completion = new WorkCompletion();
    private final ArrivalLog arrivals;
    private final LongArrayList latenciesNs = new LongArrayList();
    private final List<String> failures = new ArrayList<>();
    private final CaptureFile capture;
    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::atNs));
    private final BitSet paused = new BitSet();
    private final BitSet refused = new BitSet();
    private final Map<NicNode, MemoryRegion> memory = new HashMap<>();
    private CompletionQueue receiveCompletions;
    private long dataFrames;
    private long finished;
    private long doneNs;

    /** @param capture records every datagram; or null. */
    Transfer(TransferPlan plan, CaptureFile capture) {
        this.plan = plan;
        this.capture = capture;
        this.random = new SeededRandom(plan.seed);
        refused.set(0, plan.refused);
        this.arrivals = new ArrivalLog(FIRST_PSN, plan.toGoBackN && plan.operation != Operation.RDMA_READ, newThroughput());
        NicNode receiver = plan.toGoBackN ? null : addNode(RIGHT);
        if (receiver != null) {
            receiveCompletions = receiver.nic().createCompletionQueue(Math.max(64, 2 * plan.depth * plan.senders * plan.queuePairs));
        }
        for (int i = 0; i < plan.senders; i++) {
            NicNode sender = addNode(Gid.parse("10.0.0." + (i + 1)));
            senders.add(sender);
            join(sender, addLanes(plan.operation, sender, receiver));
        }
        if (plan.bothWays) {
            senders.forEach(sender -> addLanes(plan.operation, receiver, sender));
        }
        if (plan.besideReads) {
            senders.forEach(sender -> addLanes(Operation.RDMA_READ, sender, receiver));
        }
    }

    private NicNode addNode(Gid gid) {
        NicConfig config = new NicConfig(List.of(gid), UDP_PORT, PathMtu.MTU_4096, 1, plan.windowBytes, Set.of(),
            Math.max(NicConfig.DEFAULT_REORDER_BYTES, 4L * plan.windowBytes),
            Math.max(NicConfig.DEFAULT_PATH_BYTES, plan.windowBytes), PartitionKeys.DEFAULT,
            plan.there.isMarking() ? EcnOptions.ON : EcnOptions.OFF, plan.congestion, VerbFaults.NONE);
        NicNode node = new NicNode(time, network, random.fork(), config, new NicNode.SinkSettings(false, 0), 2_000);
        if (plan.runsNs > 0) {
            node.busy(new BusyHost(random.fork(), plan.runsNs, plan.mostAwayNs));
        }
        nodes.add(node);
        return node;
    }

    /** Adds the queue pairs of one node that send to another, or each to a go-back-N receiver. Returns the last receiver. */
    private Node addLanes(Operation operation, NicNode from, NicNode to) {
        CompletionQueue sent = from.nic().createCompletionQueue(Math.max(64, plan.depth * plan.queuePairs));
        completions.add(sent);
        Node peer = to;
        for (int i = 0; i < plan.queuePairs; i++) {
            QueuePair requester = from.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, sent, sent)
                .withRequests(plan.depth, 1));
            QueuePair responder = null;
            if (to == null) {
                peer = new GoBackNNode(time, network, RIGHT, plan.mtu.bytes(), requester.number(), FIRST_PSN);
                nodes.add(peer);
            } else {
                CompletionQueue received = to == nodes.get(0) ? receiveCompletions : completions.get(senders.indexOf(to));
                responder = to.domain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, received, received)
                    .withRequests(1, 2 * plan.depth));
                connect(responder, from.gid(), requester.number());
            }
            connect(requester, peer.gid(), responder == null ? 0x17 : responder.number());
            lanes.add(new Lane(operation, requester, responder, memoryOf(from), to == null ? null : memoryOf(to)));
        }
        return peer;
    }

    private MemoryRegion memoryOf(NicNode node) {
        return memory.computeIfAbsent(node,
            key -> key.domain().register(REMOTE, 0, ByteBuffer.allocateDirect(plan.messageBytes + 8)));
    }

    private Throughput newThroughput() {
        return new Throughput(time.nowNs(), plan.roundTripNs());
    }

    /** Adds a competing flow in the direction of the requests; before the run. */
    Throughput beside(ModelSender.Maker maker) {
        String subnet = "10.2." + nodes.size() + ".";
        Flow flow = new Flow(Gid.parse(subnet + 1), Gid.parse(subnet + 2), 40_000, 5201);
        ModelSender sender = maker.make(time, network, flow, plan.mtu.bytes());
        Throughput throughput = newThroughput();
        Node receiver = new ModelReceiver(network, flow, sender instanceof GoBackNSender, throughput);
        nodes.add(sender);
        join(sender, receiver);
        return throughput;
    }

    /** Connects two nodes through the bottlenecks. */
    private void join(Node left, Node right) {
        network.connect(left, right, plan.there, random.fork()).over(bottleneckThere);
        network.connect(right, left, plan.back, random.fork()).over(bottleneckBack);
        SeededRandom ackRandom = random.fork();
        for (SimulatedLink link : List.of(network.link(left.gid(), right.gid()), network.link(right.gid(), left.gid()))) {
            link.outage(time.nowNs() + plan.outageFromNs, time.nowNs() + plan.outageFromNs + plan.outageNs);
            if (plan.ackLoss > 0) {
                link.dropIf(datagram -> isOurs(datagram) && isAck(datagram) && ackRandom.chance(plan.ackLoss));
            }
        }
    }

    private static boolean isAck(Datagram datagram) {
        return Opcode.of(Bth.opcode(new UnsafeBuffer(datagram.bytes), 0)) == Opcode.RC_ACKNOWLEDGE;
    }

    private void connect(QueuePair pair, Gid peer, int peerQpn) {
        pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ));
        pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer), plan.mtu, peerQpn, FIRST_PSN)
            .maxDestRdAtomic(plan.maxRdAtomic).minRnrTimer(plan.rnrTimer));
        pair.modify(QueuePairAttributes.toReadyToSend(FIRST_PSN).timeout(plan.timeout).retryCount(plan.retryCount)
            .maxRdAtomic(plan.maxRdAtomic));
    }

    /** The queue in the direction of the requests. */
    Bottleneck bottleneck() {
        return bottleneckThere;
    }

    /** Bytes that wait there. */
    double queuedBytes() {
        return bottleneckThere.queuedBytes(plan.there, time.nowNs());
    }

    /** Payload of a queue pair that has arrived at the NIC there; queue pairs count from 0, through all senders. */
    long arrivedBytes(int queuePair) {
        return arrivals.bytes(nodes.get(0), lanes.get(queuePair).responder.number());
    }

    /** Payload that it may have in flight. */
    long windowBytes(int queuePair) {
        return NicInspection.path(lanes.get(queuePair).requester).windowBytes();
    }

    /** Whether it posts from now on; what it has posted goes on. */
    void posts(int queuePair, boolean isOn) {
        paused.set(queuePair, !isOn);
        fill(queuePair);
    }

    /** From now on nobody answers it. */
    void closeResponder(int queuePair) {
        lanes.get(queuePair).responder.close();
    }

    /** From now on its peer has receive requests. */
    void getReady(int queuePair) {
        refused.clear(queuePair);
        for (int i = 0; i < 2 * plan.depth; i++) {
            postReceive(queuePair);
        }
    }

    /** Does something so much later. */
    void after(long ns, Runnable action) {
        events.add(new Event(time.nowNs() + ns, action));
    }

    /**
     * Messages that each sender has completed so far; with {@link TransferPlan#bothWays}, behind them those to each sender; with {@link
     * TransferPlan#besideReads}, behind all of these those that each has READ.
     */
    long[] completed() {
        long[] bySender = new long[lanes.size() / plan.queuePairs];
        for (int i = 0; i < lanes.size(); i++) {
            bySender[i / plan.queuePairs] += lanes.get(i).completed;
        }
        return bySender;
    }

    /** Before the run: gives, after it, the messages that each sender has completed from a time of it on. */
    Supplier<long[]> completedFrom(long ns) {
        long[] before = new long[lanes.size() / plan.queuePairs];
        after(ns, () -> System.arraycopy(completed(), 0, before, 0, before.length));
        return () -> {
            long[] count = completed();
            Arrays.setAll(count, i -> count[i] - before[i]);
            return count;
        };
    }

    TransferResult run() {
        long beginNs = time.nowNs();
        if (plan.longerFromNs != Long.MAX_VALUE) {
            after(plan.longerFromNs, () -> plan.there.latencyNs += plan.longerNs);
        }
        for (int lane = 0; lane < lanes.size(); lane++) {
            for (int i = 0; receiveCompletions != null && i < 2 * plan.depth; i++) {
                postReceive(lane);
            }
            fill(lane);
        }
        long endNs = plan.durationNs == Long.MAX_VALUE ? Long.MAX_VALUE : beginNs + plan.durationNs;
        while (time.nowNs() < endNs && (finished < lanes.size() || lanes.isEmpty())) {
            step(endNs);
            completions.forEach(this::drain);
            drainReceives();
        }
        return new TransferResult(plan, doneNs - beginNs, dataFrames, arrivals, latenciesNs.toLongArray(), failures,
            counter -> senders.stream().mapToLong(sender -> sender.nic().counter(counter)).sum());
    }

    private void drain(CompletionQueue queue) {
        while (queue.poll(completion)) {
            int index = (int) completion.workRequestId();
            Lane lane = lanes.get(index);
            long postedNs = lane.postedNs.getLong(lane.completed++);
            if (!completion.isSuccess()) {
                // The first of its queue pair; the requests behind it are flushed.
                if (!lane.isFailed) {
                    failures.add(completion.toString());
                    finished++;
                }
                lane.isFailed = true;
                continue;
            }
            latenciesNs.addLong(time.nowNs() - postedNs);
            doneNs = time.nowNs();
            fill(index);
            finished += lane.completed == plan.messages ? 1 : 0;
        }
    }

    private void drainReceives() {
        while (receiveCompletions != null && receiveCompletions.poll(completion)) {
            if (completion.isSuccess()) {
                postReceive((int) completion.workRequestId());
            }
        }
    }

    /** Posts what may be outstanding. */
    private void fill(int index) {
        Lane lane = lanes.get(index);
        while (!paused.get(index) && lane.postedNs.size() < Math.min(plan.messages, lane.completed + plan.depth)) {
            post(index);
        }
    }

    private void post(int index) {
        Lane lane = lanes.get(index);
        int key = lane.remote == null ? 1 : lane.remote.rKey();
        request.clear().id(index);
        switch (lane.operation) {
            case SEND -> request.send();
            case RDMA_WRITE -> request.write(0, key);
            case RDMA_READ -> request.read(0, key);
            default -> throw new IllegalArgumentException(lane.operation + ": use SEND, RDMA_WRITE or RDMA_READ");
        }
        if (!lane.requester.postSend(request.add(lane.local, 0, plan.messageBytes))) {
            throw new SimulationFailure("a send queue for " + plan.depth + " requests is full");
        }
        lane.postedNs.addLong(time.nowNs());
    }

    private void postReceive(int index) {
        if (plan.operation == Operation.SEND && !refused.get(index)
            && !lanes.get(index).responder.postReceive(receive.clear().id(index).add(lanes.get(index).remote, 0, plan.messageBytes))) {
            throw new SimulationFailure("a receive queue for " + 2 * plan.depth + " requests is full");
        }
    }

    private void step(long endNs) {
        long next = Math.min(endNs, Math.min(network.nextArrivalNs(), events.isEmpty() ? Long.MAX_VALUE : events.peek().atNs()));
        for (Node node : nodes) {
            next = Math.min(next, node.nextPollNs());
        }
        if (next == Long.MAX_VALUE) {
            throw new SimulationFailure("no event is left, and the transfer is not complete: "
                + NicInspection.describe(lanes.get(0).requester));
        }
        time.advanceTo(next);
        long now = time.nowNs();
        while (!events.isEmpty() && events.peek().atNs() <= now) {
            events.poll().action().run();
        }
        while (network.deliver(now)) {
            // Delivers all datagrams that are due.
        }
        for (Node node : nodes) {
            if (node.nextPollNs() <= now) {
                node.poll(now);
            }
        }
    }

    private static boolean isOurs(Datagram datagram) {
        return datagram.flow.destinationPort() == UDP_PORT;
    }

    @Override
    public void onSent(Datagram datagram, long nowNs) {
        if (isOurs(datagram) && ArrivalLog.isData(datagram)) {
            dataFrames++;
        }
        if (capture != null) {
            capture.write(datagram, nowNs, "sent");
        }
    }

    @Override
    public void onDropped(Datagram datagram) {
        if (isOurs(datagram)) {
            arrivals.onLost(datagram);
        }
    }

    @Override
    public void onDelivered(Node destination, Datagram datagram, long nowNs) {
        if (isOurs(datagram)) {
            arrivals.onArrived(destination, datagram, nowNs);
        }
        if (capture != null) {
            capture.write(datagram, nowNs, "arrives");
        }
    }

    @Override
    public void afterDelivery(Node destination, Datagram datagram, long nowNs) {
        // What was sent, lost and delivered is enough.
    }
}
