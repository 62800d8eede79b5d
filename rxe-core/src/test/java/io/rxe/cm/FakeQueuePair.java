package io.rxe.cm;

import io.rxe.device.QueuePairs;
import io.rxe.port.QueuePairObserver;
import io.rxe.qp.AttributeLimits;
import io.rxe.qp.TransitionTable;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairCapabilities;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.util.List;

/** A queue pair that checks and stores its attributes, and carries no data. */
final class FakeQueuePair implements QueuePair, QueuePairs.Observed {
    private final int number;
    private final QueuePairType type;
    private final Gid gid;
    private final PathMtu portMtu;
    private final QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RESET);
    private QueuePairObserver observer;
    private boolean refusesToReceive;
    private boolean givesCredits;
    private int receives = 1;
    private Runnable beforeReceiving;

    FakeQueuePair(int number, QueuePairType type, Gid gid, PathMtu portMtu) {
        this.number = number;
        this.type = type;
        this.gid = gid;
        this.portMtu = portMtu;
    }

    /** Gives no credits at first, as a queue pair of rdma_rxe. */
    @Override
    public QueuePairCapabilities capabilities() {
        return new QueuePairCapabilities(1, receives, 1, receives, 0, false, givesCredits);
    }

    /** From now on it gives credits, or it has a shared receive queue and gives none. */
    FakeQueuePair credits(boolean gives) {
        givesCredits = gives;
        receives = gives ? 1 : 0;
        return this;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairType type() {
        return type;
    }

    @Override
    public QueuePairState state() {
        return attributes.state();
    }

    /** Runs something, once, when it is about to be brought to RTR. */
    void beforeReceiving(Runnable what) {
        beforeReceiving = what;
    }

    /** Throws when it is brought to RTR. */
    void refuseToReceive() {
        refusesToReceive = true;
    }

    @Override
    public void modify(QueuePairAttributes change) {
        if (beforeReceiving != null && change.state() == QueuePairState.RTR) {
            Runnable what = beforeReceiving;
            beforeReceiving = null;
            what.run();
        }
        if (refusesToReceive && change.state() == QueuePairState.RTR) {
            throw new IllegalArgumentException("no RTR today");
        }
        TransitionTable.check(type, attributes.state(), change);
        AttributeLimits.check(change, List.of(gid), 1, portMtu, PartitionKeys.DEFAULT);
        attributes.merge(change);
        if (change.state() == QueuePairState.ERROR || change.state() == QueuePairState.RESET) {
            end("it was moved to " + change.state());
        }
    }

    @Override
    public void observe(QueuePairObserver newObserver) {
        if (observer != null) {
            throw new IllegalStateException("the queue pair belongs to a connection");
        }
        observer = newObserver;
    }

    @Override
    public void forget(QueuePairObserver former) {
        observer = observer == former ? null : observer;
    }

    @Override
    public void end(QueuePairObserver by) {
        if (observer == by) {
            modify(QueuePairAttributes.to(QueuePairState.ERROR));
        }
    }

    @Override
    public void awaitEnd(QueuePairObserver by) {
        end(by);
    }

    @Override
    public void requestEnd(QueuePairObserver by) {
        end(by);
    }

    @Override
    public void run(Runnable calls) {
        calls.run();
    }

    /** As if it failed. */
    void fail(String cause) {
        attributes.merge(QueuePairAttributes.to(QueuePairState.ERROR));
        end(cause);
    }

    private void end(String cause) {
        if (observer != null) {
            QueuePairObserver told = observer;
            observer = null;
            told.onEnd(cause);
        }
    }

    @Override
    public QueuePairAttributes query() {
        return attributes;
    }

    @Override
    public Object attachment() {
        return null;
    }

    @Override
    public void drain() {
        throw new UnsupportedOperationException("connection management never drains");
    }

    @Override
    public boolean postSend(WorkRequest request) {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public boolean bindWindow(WorkRequest request) {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public RequestBatch<WorkRequest> beginSends() {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public RequestBatch<ReceiveRequest> beginReceives() {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public boolean postSendDeferred(WorkRequest request) {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public void ringDoorbell() {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public void attachMulticast(Gid group) {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public boolean detachMulticast(Gid group) {
        throw new UnsupportedOperationException("carries no data");
    }

    @Override
    public int outstandingSends() {
        return 0;
    }

    @Override
    public void close() {
        attributes.merge(QueuePairAttributes.to(QueuePairState.RESET));
        end("it was closed");
    }
}
