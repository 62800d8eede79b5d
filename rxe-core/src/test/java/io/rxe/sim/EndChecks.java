package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.AsyncEvent;
import java.util.List;

/** Checks at the end of a run that concern the run as a whole: links, retransmissions, reported losses, events. */
final class EndChecks {
    /** Number of losses that cannot all have been repaired by timers alone. */
    private static final int MIN_LOSSES = 8;

    private final Simulation simulation;
    private final SimulationOptions options;
    private final Network network;
    private final List<NicNode> nodes;
    private final List<Application> applications;

    EndChecks(Simulation simulation, SimulationOptions options, Network network, List<NicNode> nodes, List<Application> applications) {
        this.simulation = simulation;
        this.options = options;
        this.network = network;
        this.nodes = nodes;
        this.applications = applications;
    }

    void run() {
        checkLinks();
        checkNoRetransmission();
        if (options.keepsOrder() && !options.has(Feature.THIRD_PARTY) && !options.has(Feature.PATHS)) {
            checkLossesReported();
        }
        checkEvents();
    }

    private void checkLinks() {
        long handedOver = 0;
        long arrived = 0;
        for (SimulatedLink link : network.links()) {
            handedOver += link.sent + link.copies;
            arrived += link.arrivals;
            if (link.sent + link.copies != link.arrivals + link.lost + link.queueDropped + link.outageDropped) {
                throw new SimulationFailure("the counters of a link do not add up");
            }
        }
        if (arrived != network.delivered) {
            throw new SimulationFailure(handedOver + " datagrams sent and copied, " + arrived + " due, " + network.delivered
                + " delivered");
        }
    }

    /**
     * A lossless network causes no retransmission, except after an RNR NAK, when responses arrive later than the ACK timeout, when a FLUSH
     * takes longer than a probe waits, or when long READs of others fill the link until then.
     */
    private void checkNoRetransmission() {
        boolean isDisturbed = options.has(Feature.THIRD_PARTY) || options.has(Feature.PATHS);
        boolean slow = isDisturbed || options.sinkFullProbability > 0.1 || options.faults.bitsPerSecond < 10e9;
        if (slow || !options.faults.isLossless() || options.hasOutages() || options.ghostProbability > 0) {
            return;
        }
        // Retransmissions after RNR NAKs fill the link and delay other queue pairs until these send a probe.
        boolean hasRnrNak = applications.stream().anyMatch(application -> application.monitor.rnrNaks > 0);
        long probes = 0;
        for (NicNode node : nodes) {
            probes += options.has(Feature.LONG_MESSAGES) ? node.nic().counter(NicCounter.LOSS_PROBE) : 0;
        }
        for (Application application : applications) {
            boolean plain = application.connection.incarnations == 1 && !application.connection.isBroken()
                && application.monitor.rnrNaks == 0
                && application.settings.timeout >= 12 && application.settings.placementShare == 0;
            if (plain && !hasRnrNak && application.monitor.retransmitted > probes) {
                throw application.fail(application.monitor.retransmitted + " packets were retransmitted on a lossless network");
            }
        }
    }

    /** Over a whole run, NAKs and implied NAKs must have reported some of the gaps, and not timers alone (rules R1, Q4, Q5). */
    private void checkLossesReported() {
        for (NicNode node : nodes) {
            long gaps = 0;
            long overtakenResponses = 0;
            for (Application application : applications) {
                gaps += application.peer.node == node && application.peer.responder() == null
                    && !application.connection.isDisrupted() ? application.monitor.gaps() : 0;
                // Of rdma_rxe each sequence NAK requests the responses behind it again, so that none may be left for an implied NAK.
                overtakenResponses += application.node == node && application.peer.responder() == null
                    ? application.monitor.overtakenResponses : 0;
            }
            if (gaps >= MIN_LOSSES && node.nic().counter(NicCounter.SEND_SEQ_ERR) == 0
                && node.nic().counter(NicCounter.SENT_GAP_REPORTS) == 0) {
                throw new SimulationFailure(gaps + " gaps in the requests to " + node.gid() + ", and none was told (rules R1, G3)");
            }
            // The end of an RNR wait retransmits the requests of earlier missing responses too.
            boolean isAskedAnyway = node.nic().counter(NicCounter.RCVD_RNR_ERR) >= overtakenResponses;
            if (overtakenResponses >= 2 * MIN_LOSSES && !isAskedAnyway && node.nic().counter(NicCounter.IMPLIED_NAK) == 0) {
                throw new SimulationFailure(overtakenResponses + " responses to " + node.gid()
                    + " were overtaken and none was requested again"
                    + " (rules Q4, Q5)");
            }
        }
    }

    private void checkEvents() {
        for (NicNode node : nodes) {
            for (AsyncEvent event = node.nic().pollAsyncEvent(); event != null; event = node.nic().pollAsyncEvent()) {
                boolean harmless = switch (event.type()) {
                    case COMM_EST, SQ_DRAINED -> true;
                    case PATH_MIG -> options.has(Feature.PATHS);
                    default -> false;
                };
                Application application = event.queuePair() == null ? null : simulation.applicationOf(node, event.queuePair().number());
                boolean expected = application != null && (application.connection.left.settings.errorAt >= 0
                    || application.connection.right.settings.invalidReceiveFrom >= 0 || application.connection.isDisrupted()
                    || application.monitor.keepAlive().isExhausted());
                if (!harmless && !expected) {
                    throw new SimulationFailure("event " + event.type() + ": " + event.explanation());
                }
            }
        }
    }
}
