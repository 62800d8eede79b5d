package io.rxe.sim;

import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;

/** Two endpoints that talk to each other. */
final class Connection {
    final Simulation simulation;
    final String name;
    private final Dice dice;
    Endpoint left;
    Endpoint right;
    private boolean broken;
    private Endpoint giveUp;
    private long giveUpAtNs = Long.MAX_VALUE;
    private long recreateAtNs = Long.MAX_VALUE;
    int lives;

    Connection(Simulation simulation, String name, Dice dice) {
        this.simulation = simulation;
        this.name = name;
        this.dice = dice;
    }

    void join(Endpoint newLeft, Endpoint newRight) {
        left = newLeft;
        right = newRight;
        left.peer = right;
        right.peer = left;
        open();
    }

    private void open() {
        lives++;
        left.open();
        right.open();
        left.connect();
        right.connect();
    }

    /** A counter that several queue pairs of the target's NIC share. */
    SharedCounter sharedCounter(Endpoint target) {
        return simulation.sharedCounter(target.station);
    }

    /** One side has failed: nothing more is posted, and the other side's application may hear of it. */
    void onFailure(Endpoint endpoint) {
        if (!broken) {
            broken = true;
            if (endpoint.peer.settings.timeout == 0 || dice.chance(0.5)) {
                giveUp = endpoint.peer;
                giveUpAtNs = simulation.nowNs() + dice.between(0L, 2_000_000L);
            }
        }
    }

    boolean isBroken() {
        return broken;
    }

    boolean isFinished() {
        return left.isFinished() && right.isFinished();
    }

    void recreateAt(long ns) {
        recreateAtNs = ns;
    }

    /** When it has something to do, or {@link Long#MAX_VALUE}. */
    long nextNs() {
        return Math.min(giveUpAtNs, recreateAtNs);
    }

    void act(long nowNs) {
        if (nowNs >= giveUpAtNs) {
            giveUpAtNs = Long.MAX_VALUE;
            giveUp.moveToError();
        }
        if (nowNs >= recreateAtNs) {
            recreateAtNs = Long.MAX_VALUE;
            recreate();
        }
    }

    /** Rule P7: new numbers or a PSN range far from the last one, so that packets still under way belong to nothing. */
    private void recreate() {
        left.fetch();
        right.fetch();
        left.process();
        right.process();
        boolean reset = dice.chance(0.5);
        end(left, reset);
        end(right, reset);
        left.forget();
        right.forget();
        left.window.rebase();
        right.window.rebase();
        broken = false;
        giveUpAtNs = Long.MAX_VALUE;
        open();
        simulation.register(left);
        simulation.register(right);
    }

    private void end(Endpoint endpoint, boolean reset) {
        if (reset) {
            endpoint.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        } else {
            endpoint.queuePair.close();
            simulation.unregister(endpoint);
            endpoint.queuePair = null;
        }
        endpoint.settings.startPsn = endpoint.settings.startPsn + (dice.between(1, 6) << 20) + dice.between(0, 1000) & 0xFFFFFF;
    }
}
