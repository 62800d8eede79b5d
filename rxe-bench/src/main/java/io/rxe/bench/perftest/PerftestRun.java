package io.rxe.bench.perftest;

import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One side of one test, from the first word to the last. */
public final class PerftestRun {
    private final Device device;
    private final PerftestPlan plan;
    private final PerftestPrinter printer;
    private final boolean showsBoth;
    private final long lingerNs;

    /**
     * @param showsBoth prints each direction of a test in both directions by itself as well.
     * @param lingerNs  how long a test that ends without a word keeps answering the peer.
     */
    public PerftestRun(Device device, PerftestPlan plan, PerftestPrinter printer, boolean showsBoth, long lingerNs) {
        this.device = device;
        this.plan = plan;
        this.printer = printer;
        this.showsBoth = showsBoth;
        this.lingerNs = lingerNs;
    }

    /**
     * Runs the test over an open control connection, which stays open.
     *
     * @return a row for each size, ready for JSON.
     * @throws IOException                    when the peer says something wrong or nothing at all.
     * @throws io.rxe.bench.TransferFailure for an error completion or a stall.
     */
    public List<Map<String, Object>> run(ControlLink link) throws IOException {
        return run(link, null);
    }

    /**
     * Runs the test over an open control connection, and lets connection management connect the queue pairs.
     *
     * @param connections made the control connection; null when keys are traded to connect.
     * @return as {@link #run(ControlLink)}.
     */
    public List<Map<String, Object>> run(ControlLink link, ManagedConnections connections) throws IOException {
        boolean isManaged = connections != null;
        PerftestHandshake handshake = new PerftestHandshake(link);
        PerftestPlan agreed = settle(handshake.preface(plan.path().pathMtu()));
        try (TestEndpoint endpoint = new TestEndpoint(device, agreed, handshake.cycleBufferBytes(), isManaged)) {
            printer.heading(agreed, isManaged, link.keyFormat() == KeyFormat.BINARY);
            if (isManaged) {
                if (plan.isServer()) {
                    printer.waitingForManagedConnection();
                }
                handshake.meetWithoutKeys();
                connections.connect(agreed, endpoint);
                handshake.meetWithoutKeys();
            }
            PerftestSession session = new PerftestSession(agreed, endpoint, handshake, printer, remote -> {
                if (isManaged) {
                    endpoint.adopt(remote, agreed, handshake.peer());
                } else {
                    endpoint.connect(remote, agreed, handshake.peer());
                }
            });
            flow().run(session);
            if (plan.kind() == PerftestKind.WRITE_LAT) {
                linger();
            }
            return session.rows();
        }
    }

    /** The peer may not have got our last acknowledgement, and asks again after 67 ms: the queue pair must still be there. */
    private void linger() {
        try {
            TimeUnit.NANOSECONDS.sleep(lingerNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private PerftestPlan settle(PathMtu pathMtu) {
        PerftestPlan settled = plan.withPath(plan.path().withPathMtu(pathMtu));
        if (!plan.isDatagram() || plan.amount().sizeBytes() <= pathMtu.bytes()) {
            return settled;
        }
        if (!plan.amount().allSizes() && printer.isFull()) {
            printer.remark(" Max msg size in UD is MTU " + pathMtu.bytes() + "\n Changing to this MTU");
        }
        return settled.withAmount(plan.amount().withSize(pathMtu.bytes()));
    }

    private PerftestFlow flow() {
        return switch (plan.kind()) {
            case SEND_BW -> new SendBandwidthFlow(showsBoth);
            case SEND_LAT -> new SendLatencyFlow();
            case WRITE_BW, READ_BW, ATOMIC_BW -> new BandwidthFlow(showsBoth);
            case WRITE_LAT, READ_LAT, ATOMIC_LAT -> new LatencyFlow();
        };
    }

    /** What a test was asked to do, for JSON. */
    public static Map<String, Object> describe(PerftestPlan plan) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("test", plan.kind().command());
        map.put("role", plan.isServer() ? "server" : "client");
        map.put("transport", plan.path().transport().name());
        map.put("bidirectional", plan.isBidirectional());
        map.put("queue_pairs", plan.queues().queuePairs());
        map.put("tx_depth", plan.queues().sendDepth());
        map.put("rx_depth", plan.queues().receiveDepth());
        map.put("cq_mod", plan.queues().completionEvery());
        map.put("post_list", plan.queues().postList());
        map.put("inline_bytes", plan.queues().inlineBytes());
        map.put("offered_path_mtu", plan.path().pathMtu().bytes());
        return map;
    }
}
