package io.rxe.sim;

import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;

/** Two applications whose queue pairs are connected. */
final class Connection {
    final Simulation simulation;
    final String name;
    private final SeededRandom random;
    Application left;
    Application right;
    private boolean broken;
    private Application abandoned;
    private long abandonAtNs = Long.MAX_VALUE;
    private long reconnectAtNs = Long.MAX_VALUE;
    private Disruption disruption;
    private Application disruptor;
    private long disruptAtNs = Long.MAX_VALUE;
    /** The disruption follows the next packet that the disruptor receives. */
    private boolean disruptsOnArrival;
    private boolean disrupted;
    int incarnations;

    Connection(Simulation simulation, String name, SeededRandom random) {
        this.simulation = simulation;
        this.name = name;
        this.random = random;
    }

    void join(Application newLeft, Application newRight) {
        left = newLeft;
        right = newRight;
        left.peer = right;
        right.peer = left;
        open();
    }

    private void open() {
        incarnations++;
        left.open();
        right.open();
        left.connect();
        right.connect();
    }

    /** The counter that all connections of the target's NIC add to. */
    SharedCounter sharedCounter(Application target) {
        return simulation.sharedCounter(target.node);
    }

    /** One side has failed: neither side posts any more, and the other side may move its queue pair to ERROR. */
    void onFailure(Application application) {
        if (!broken) {
            broken = true;
            if (application.peer.settings.timeout == 0 || random.chance(0.5)) {
                abandoned = application.peer;
                abandonAtNs = simulation.nowNs() + random.between(0L, 2_000_000L);
            }
        }
    }

    boolean isBroken() {
        return broken;
    }

    boolean isFinished() {
        return left.isFinished() && right.isFinished();
    }

    void reconnectAt(long ns) {
        reconnectAtNs = ns;
    }

    /** At a given time one side disrupts the connection. */
    void disruptAt(long ns, Disruption kind) {
        disruptAtNs = ns;
        disruption = kind;
    }

    /** Whether it will be disrupted or opened again. */
    boolean changes() {
        return disruptAtNs != Long.MAX_VALUE || reconnectAtNs != Long.MAX_VALUE;
    }

    /** Whether one side has disrupted the connection. */
    boolean isDisrupted() {
        return disrupted;
    }

    /** Whether a disruption is the reason for the first failed request of a side. */
    boolean isExplained(Application side, Request request, CompletionStatus status) {
        return disrupted && disruption.explains(status, side == disruptor, request);
    }

    /**
     * Whether a side may leave requests unanswered. Rules R3, R14: a replay of a READ from deregistered memory is dropped, and the queue
     * pair stays as it is. Rule M1: a migrated queue pair drops what arrives on the path it left.
     */
    boolean mayIgnoreRequests(Application side) {
        return side.paths != null || disrupted && disruption == Disruption.DEREGISTER_TARGET && side == disruptor;
    }

    /** Time of its next action, or {@link Long#MAX_VALUE}. */
    long nextNs() {
        return Math.min(disruptAtNs, Math.min(abandonAtNs, reconnectAtNs));
    }

    void act(long nowNs) {
        if (nowNs >= abandonAtNs) {
            abandonAtNs = Long.MAX_VALUE;
            broken = true;
            left.poll(true);
            right.poll(true);
            abandoned.moveToError();
        }
        if (nowNs >= disruptAtNs) {
            disruptAtNs = Long.MAX_VALUE;
            disruptor = random.chance(0.5) ? left : right;
            disruptsOnArrival = random.chance(0.7);
            if (!disruptsOnArrival) {
                disrupt(nowNs);
            }
        }
        if (nowNs >= reconnectAtNs) {
            reconnectAtNs = Long.MAX_VALUE;
            reconnect();
        }
    }

    /** A packet of a monitor has arrived, so that a message or its response may be unfinished. */
    void onArrival(Node destination, ProtocolMonitor monitor, long nowNs) {
        if (disruptsOnArrival && destination == disruptor.node && (monitor == left.monitor || monitor == right.monitor)) {
            disruptsOnArrival = false;
            disrupt(nowNs);
        }
    }

    private void disrupt(long nowNs) {
        if (broken) {
            return;
        }
        disrupted = true;
        disruption.apply(disruptor);
        broken = !disruption.keepsPosting();
        // Without this a SEND could wait forever for a receive that is not posted any more.
        abandoned = random.chance(0.5) ? left : right;
        abandonAtNs = nowNs + random.between(1_000_000L, 50_000_000L);
    }

    /** Rule P7: new queue pair numbers or a distant PSN range, so that packets still in the network match nothing. */
    private void reconnect() {
        left.fetch();
        right.fetch();
        left.process();
        right.process();
        boolean reset = random.chance(0.5);
        end(left, reset);
        end(right, reset);
        left.forget();
        right.forget();
        left.targetModel.rebase();
        right.targetModel.rebase();
        broken = false;
        abandonAtNs = Long.MAX_VALUE;
        open();
        simulation.register(left);
        simulation.register(right);
    }

    private void end(Application application, boolean reset) {
        if (reset) {
            application.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        } else {
            application.queuePair.close();
            simulation.unregister(application);
            application.queuePair = null;
        }
        application.settings.startPsn = application.settings.startPsn + (random.between(1, 6) << 20) + random.between(0, 1000) & 0xFFFFFF;
    }
}
