package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.handshake.ControlLink;
import io.rxe.tools.perftest.handshake.KeyFormat;
import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.measure.PerftestEndpoint;
import io.rxe.tools.perftest.output.PerftestPrinter;
import io.rxe.tools.perftest.plan.PerftestKind;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One side of one test, from the preface to the close. */
public final class PerftestRun {
    private final Device device;
    private final PerftestPlan plan;
    private final PerftestPrinter printer;
    private final boolean showsBoth;
    private final long lingerNs;

    /**
     * @param showsBoth whether a bidirectional test prints each direction separately as well.
     * @param lingerNs  time to keep the queue pairs after a test that ends without closing messages, in nanoseconds.
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
     * @throws IOException                    if the peer sends a wrong message, or none in time.
     * @throws io.rxe.bench.TransferFailure for an error completion or a stall.
     */
    public List<Map<String, Object>> run(ControlLink link) throws IOException {
        return run(link, null);
    }

    /**
     * Runs the test over an open control connection, and lets connection management connect the queue pairs.
     *
     * @param connections connection management that made the control connection, or null to connect by the exchanged keys.
     * @return as {@link #run(ControlLink)}.
     */
    public List<Map<String, Object>> run(ControlLink link, ManagedConnections connections) throws IOException {
        boolean isManaged = connections != null;
        PerftestHandshake handshake = new PerftestHandshake(link);
        PerftestPlan agreed = agree(handshake.preface(plan.path().pathMtu()));
        try (PerftestEndpoint endpoint = new PerftestEndpoint(device, agreed, handshake.cycleBufferBytes(), isManaged)) {
            printer.heading(agreed, isManaged, link.keyFormat() == KeyFormat.BINARY);
            if (isManaged) {
                if (plan.isServer()) {
                    printer.waitingForManagedConnection();
                }
                handshake.exchangeEmptyKeys();
                connections.connect(agreed, endpoint);
                handshake.exchangeEmptyKeys();
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

    /** Our last acknowledgement may be lost; the peer then retransmits after 67 ms, and the queue pair must still exist. */
    private void linger() {
        try {
            TimeUnit.NANOSECONDS.sleep(lingerNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private PerftestPlan agree(PathMtu pathMtu) {
        PerftestPlan agreed = plan.withPath(plan.path().withPathMtu(pathMtu));
        if (!plan.isDatagram() || plan.amount().sizeBytes() <= pathMtu.bytes()) {
            return agreed;
        }
        if (!plan.amount().allSizes() && printer.isFull()) {
            printer.remark(" Max msg size in UD is MTU " + pathMtu.bytes() + "\n Changing to this MTU");
        }
        return agreed.withAmount(plan.amount().withSize(pathMtu.bytes()));
    }

    private PerftestFlow flow() {
        return switch (plan.kind()) {
            case SEND_BW -> new SendBandwidthFlow(showsBoth);
            case SEND_LAT -> new SendLatencyFlow();
            case WRITE_BW, READ_BW, ATOMIC_BW -> new BandwidthFlow(showsBoth);
            case WRITE_LAT, READ_LAT, ATOMIC_LAT -> new LatencyFlow();
        };
    }

    /** The parameters of a test, for JSON. */
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
