package io.rxe.sim;

import io.rxe.device.NicConfig;
import io.rxe.device.TestConfig;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of XRC connections: initiators on one or two NICs, and on another NIC XRC domains with shared receive queues. Every message must
 * arrive once, in order, at the queue it names, and use no memory of another queue.
 *
 * <p>The model: {@link XrcQueue} knows what each initiator has sent to it and what its memory must hold; {@link XrcSender} knows what its
 * READs and atomics must bring, and what must be written when a FLUSH completes.
 */
final class XrcSimulation implements Network.Tap {
    /** Virtual time within which everything must complete after the faults end. */
    private static final long HEALED_LIMIT_NS = 120_000_000_000L;
    private static final long EVENT_LIMIT = 2_000_000;
    /** A burst can lose a packet and all of its retransmissions. */
    private static final double MAX_LOSS = 0.05;

    private final SimulationOptions options;
    private final SeededRandom random;
    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network(this);
    private final List<NicNode> nodes = new ArrayList<>();
    private final List<List<XrcQueue>> domains = new ArrayList<>();
    private final List<XrcQueue> queues = new ArrayList<>();
    private final List<XrcSender> senders = new ArrayList<>();
    private final DirectMemoryPool memoryPool;
    private boolean healed;
    private long hash = 17;

    XrcSimulation(SimulationOptions options) {
        this.options = options;
        this.random = new SeededRandom(options.seed ^ 0x0c0c_0c0c_0c0c_0c0cL);
        this.memoryPool = new DirectMemoryPool(options.has(Feature.PLACEMENT));
        int initiators = random.between(1, 2);
        for (int i = 0; i <= initiators; i++) {
            NicConfig config = TestConfig.of(Gid.parse(options.ipv6 ? "fd00::" + (i + 1) : "10.0.0." + (i + 1)), 4791, PathMtu.MTU_4096,
                random.between(1, 3));
            nodes.add(new NicNode(time, network, random.fork(), config,
                new NicNode.SinkSettings(options.kernelIpIds, options.sinkFullProbability), options.pollDelayNs));
        }
        for (int i = 1; i <= initiators; i++) {
            network.connect(nodes.get(0), nodes.get(i), faults(), random.fork());
            network.connect(nodes.get(i), nodes.get(0), faults(), random.fork());
        }
        addQueuesAndSenders(initiators);
    }

    private LinkFaults faults() {
        if (options.faults.burstBegin > 0 || options.faults.loss > MAX_LOSS) {
            options.faults.bursts(0, 1, 0).loss(MAX_LOSS);
        }
        return options.faults;
    }

    private void addQueuesAndSenders(int initiators) {
        int domainCount = random.between(1, 2);
        int senderCount = random.between(1, 4);
        for (int i = 0; i < domainCount; i++) {
            XrcDomain domain = nodes.get(0).nic().openXrcDomain();
            List<XrcQueue> ofDomain = new ArrayList<>();
            for (int j = random.between(2, 3); j > 0; j--) {
                ofDomain.add(new XrcQueue(nodes.get(0).nic(), domain, senderCount, memoryPool, random.fork()));
            }
            domains.add(ofDomain);
            queues.addAll(ofDomain);
            for (int j = i; j < senderCount; j += domainCount) {
                senders.add(new XrcSender(j, nodes.get(random.between(1, initiators)), nodes.get(0), domain, ofDomain, random.fork(),
                    options.has(Feature.PLACEMENT)));
            }
        }
        for (XrcSender sender : senders) {
            sender.total(random.between(5, Math.max(5, options.requests / 2)));
            if (random.chance(options.errorShare / 2)) {
                sender.endWith(wrongNumber(sender));
            }
            for (XrcQueue queue : sender.queues()) {
                queue.add(sender);
            }
        }
    }

    /** A number of a queue of another XRC domain, or of none. */
    private int wrongNumber(XrcSender sender) {
        for (List<XrcQueue> ofDomain : domains) {
            if (ofDomain != sender.queues() && random.chance(0.7)) {
                return random.oneOf(ofDomain.toArray(new XrcQueue[0])).queue().number();
            }
        }
        int number = 0x123456;
        while (isUsed(number)) {
            number++;
        }
        return number;
    }

    private boolean isUsed(int number) {
        return queues.stream().anyMatch(queue -> queue.queue().number() == number);
    }

    /** Runs to the end; returns the hash of the run. */
    long run() {
        long healAtNs = time.nowNs() + options.healAfterNs;
        long limitNs = healAtNs + HEALED_LIMIT_NS;
        long stepNs = time.nowNs();
        for (long events = 0; !isFinished(); events++) {
            if (events > EVENT_LIMIT || time.nowNs() > limitNs) {
                throw new SimulationFailure("requests never completed: " + senders);
            }
            long next = Math.min(network.nextArrivalNs(), stepNs);
            for (NicNode node : nodes) {
                next = Math.min(next, node.nextPollNs());
            }
            time.advanceTo(next);
            long now = time.nowNs();
            if (!healed && now >= healAtNs) {
                heal();
            }
            while (network.deliver(now)) {
                // Delivers all datagrams that are due.
            }
            nodes.forEach(node -> node.poll(now));
            if (now >= stepNs) {
                step();
                stepNs = now + random.between(1_000L, healed ? 50_000L : 2_000_000L);
            }
        }
        check();
        return hash * 31 + time.nowNs();
    }

    private void heal() {
        healed = true;
        network.links().forEach(link -> link.faults(link.faults().healed()));
        nodes.forEach(node -> node.fullProbability(0));
    }

    private void step() {
        for (XrcQueue queue : queues) {
            hash = hash * 31 + queue.step(healed);
        }
        for (XrcSender sender : senders) {
            hash = hash * 31 + sender.step();
        }
    }

    private boolean isFinished() {
        return senders.stream().allMatch(XrcSender::isFinished) && network.isEmpty();
    }

    private void check() {
        step();
        queues.forEach(XrcQueue::check);
        senders.forEach(XrcSender::check);
        nodes.forEach(NicNode::checkCounters);
    }

    @Override
    public void onSent(Datagram datagram, long nowNs) {
        hash = hash * 31 + datagram.bytes.length;
    }

    @Override
    public void onDelivered(Node destination, Datagram datagram, long nowNs) {
        // Queues and senders see what matters.
    }

    @Override
    public void afterDelivery(Node destination, Datagram datagram, long nowNs) {
        // Queues and senders see what matters.
    }
}
