package io.rxe.cm;

import io.rxe.device.QueuePairs;
import io.rxe.port.QueuePairObserver;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Gid;
import java.util.List;

/** The ends of fake queue pairs. They carry no data, so no first packet is reported: tests call notifyEstablished. */
final class FakeQueuePairs implements QueuePairs {
    @Override
    public void observe(QueuePair queuePair, QueuePairObserver observer) {
        if (!((FakeQueuePair) queuePair).observe(observer)) {
            throw new IllegalStateException("the queue pair belongs to a connection");
        }
    }

    @Override
    public void forget(QueuePair queuePair, QueuePairObserver observer) {
        ((FakeQueuePair) queuePair).forget(observer);
    }

    @Override
    public void run(QueuePair queuePair, Runnable calls) {
        calls.run();
    }

    @Override
    public void refuseBroadcast(String what, Gid address) {
        // Its network has no subnets.
    }

    @Override
    public void end(QueuePair queuePair, QueuePairObserver observer) {
        if (((FakeQueuePair) queuePair).isObservedBy(observer)) {
            queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        }
    }

    @Override
    public void awaitEnd(QueuePair queuePair, QueuePairObserver observer) {
        end(queuePair, observer);
    }

    @Override
    public List<Gid> gids() {
        return List.of(Gid.parse("10.0.0.1"));
    }

    @Override
    public void requestEnd(QueuePair queuePair, QueuePairObserver observer) {
        end(queuePair, observer);
    }
}
