package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The two paths of one side of a connection (rule M1): loads the path that is not in use, migrates by the verb at times, and checks on the
 * wire which path the queue pair uses.
 */
final class PathOwner {
    private static final int MAX_VERBS = 3;

    private final Application owner;
    private final SeededRandom random;
    private int verbs;
    /** Alternate paths loaded, and times the queue pair went to another path. */
    private int loads;
    private int migrations;
    private Gid current;

    PathOwner(Application owner, SeededRandom random) {
        this.owner = owner;
        this.random = random;
        this.current = owner.node.gid();
    }

    /** Adds the second path to the attributes for RTS. */
    QueuePairAttributes armed(QueuePairAttributes toRts) {
        return load(toRts, 2);
    }

    private QueuePairAttributes load(QueuePairAttributes change, int port) {
        loads++;
        int timeout = random.between(9, 11);
        return change.alternatePath(new AlternatePath(AddressVector.to(owner.peer.node.nic().gid(port)), port, timeout))
            .pathMigrationState(PathMigrationState.REARM);
    }

    /** One iteration of the application. */
    void step() {
        if (!owner.isAlive() || !random.chance(0.1) || owner.queuePair.state() != QueuePairState.RTS) {
            return;
        }
        QueuePairAttributes now = owner.queuePair.query();
        QueuePairAttributes change = QueuePairAttributes.to(QueuePairState.RTS);
        if (now.alternatePath() == null) {
            owner.queuePair.modify(load(change, 3 - now.port()));
        } else if (now.pathMigrationState() == PathMigrationState.ARMED && verbs < MAX_VERBS && random.chance(0.1)) {
            verbs++;
            owner.queuePair.modify(change.pathMigrationState(PathMigrationState.MIGRATED));
        }
    }

    /** The queue pair sends a packet: only a migration changes the path, and its packets say so. */
    void onSent(Flow flow, boolean migReq) {
        migrations += flow.source().equals(current) ? 0 : 1;
        current = flow.source();
        if (migrations == loads && !migReq) {
            throw owner.fail("a packet on " + flow + " has MigReq 0, although the queue pair has migrated and is not rearmed (rule M1)");
        }
        if (migrations > loads) {
            throw owner.fail("sends on " + flow + " after " + (migrations - 1) + " migrations, but only " + loads
                + " alternate paths were loaded: it left that path (rule M1)");
        }
    }

    /** Whether a datagram arrives on a path that its queue pair does not use, and is no migration of the peer. */
    static boolean isDropped(Simulation simulation, Node destination, Datagram datagram) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        Application target = destination instanceof NicNode node ? simulation.applicationOf(node, Bth.destinationQpn(buffer, 0)) : null;
        if (target == null || target.paths == null) {
            return false;
        }
        QueuePairAttributes now = target.queuePair.query();
        Gid arrival = datagram.flow.destination();
        boolean migrates = now.pathMigrationState() != PathMigrationState.MIGRATED
            && arrival.equals(target.node.nic().gid(now.alternatePath().port()))
            && Bth.isMigrationRequest(buffer, 0);
        return !migrates && !arrival.equals(target.node.nic().gid(now.port()));
    }
}
