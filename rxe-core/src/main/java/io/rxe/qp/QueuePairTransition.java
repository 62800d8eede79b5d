package io.rxe.qp;

import io.rxe.port.Flow;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendState;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;

/**
 * Carries out {@code modify}: checks a change by {@link TransitionTable}, {@link AttributeLimits} and the present state, sets the
 * attributes, and starts or stops the tasks.
 *
 * <p>Owned by the engine thread.
 */
final class QueuePairTransition {
    private final QueuePairTasks tasks;
    private final QueuePairContext context;
    private final SendState send;
    private final PortSettings ports;

    QueuePairTransition(QueuePairTasks tasks, PortSettings ports) {
        this.tasks = tasks;
        this.context = tasks.context();
        this.send = tasks.send();
        this.ports = ports;
    }

    /** Changes state and attributes, or throws and changes nothing. */
    void modify(QueuePairAttributes change) {
        QueuePairState from = context.state();
        QueuePairState to = change.state();
        TransitionTable.check(context.type(), from, change);
        AttributeLimits.check(change, ports.gids(), context.attributes().port(), ports.portMtu(), ports.partitionKeys());
        context.path().check(change);
        if (from == QueuePairState.SQD && to == QueuePairState.SQD) {
            checkDrained(change);
        }
        if (to == QueuePairState.RESET) {
            tasks.reset();
            return;
        }
        if (to == QueuePairState.ERROR) {
            context.attributes().merge(change);
            context.state(QueuePairState.ERROR);
            tasks.abandonReads();
            return;
        }
        context.attributes().merge(change);
        if (change.has(QueuePairAttribute.PARTITION_KEY_INDEX)) {
            context.partitionKey(ports.partitionKeys().key(change.partitionKeyIndex()));
        }
        connect(change);
        changePath(change);
        if (from == QueuePairState.INIT && to == QueuePairState.RTR) {
            tasks.startReceiving();
        } else if (from == QueuePairState.RTR && to == QueuePairState.RTS) {
            send.start(context.attributes().sendPsn());
            tasks.startSending();
        } else if (from == QueuePairState.RTS && to == QueuePairState.SQD) {
            // Requested for each drain (rule Q13).
            context.attributes().drainedNotification(change.isDrainedNotification());
            tasks.startDraining();
        } else if (to == QueuePairState.SQD) {
            tasks.changeWhileDrained(change.has(QueuePairAttribute.ADDRESS_VECTOR));
        }
        if (change.has(QueuePairAttribute.KEEP_ALIVE)) {
            tasks.changeKeepAlive();
        }
        tasks.onWorking();
        context.state(to);
    }

    /** Attributes change in SQD only after the drain, and not so that a posted request could never begin (rules Q11, Q13). */
    private void checkDrained(QueuePairAttributes change) {
        if (send.isOutstanding() || send.isMidMessage()) {
            throw new IllegalArgumentException("SQD to SQD with " + (send.nextSeq() - send.ackedSeq())
                + " packets outstanding or a message in progress, and 0 are allowed: wait for SQ_DRAINED");
        }
        if (change.has(QueuePairAttribute.MAX_RD_ATOMIC) && change.maxRdAtomic() == 0 && send.isReadOrAtomicPosted()) {
            throw new IllegalArgumentException("MAX_RD_ATOMIC 0 < 1, the least for the READs and atomics in the send queue: let them"
                + " complete first, or set at least 1");
        }
    }

    private void connect(QueuePairAttributes change) {
        QueuePairAttributes attributes = context.attributes();
        if (change.has(QueuePairAttribute.ADDRESS_VECTOR) || change.has(QueuePairAttribute.PATH_MTU)) {
            context.connect(flow(attributes.port(), attributes.addressVector()), attributes.pathMtu().bytes());
        } else if (!attributes.has(QueuePairAttribute.ADDRESS_VECTOR)) {
            context.connect(null, ports.portMtu().bytes());
        }
    }

    private Flow flow(int port, AddressVector peer) {
        return new Flow(ports.gids().get(port - 1), peer.destination(), ports.udpPort(), peer.udpPort(), peer.dscpClass());
    }

    private void changePath(QueuePairAttributes change) {
        AlternatePath path = change.has(QueuePairAttribute.ALTERNATE_PATH) ? change.alternatePath() : null;
        context.path().change(change, path == null ? null : flow(path.port(), path.addressVector()),
            path == null ? 0 : ports.partitionKeys().key(path.partitionKeyIndex()));
    }
}
