package io.rxe.cm;

import io.rxe.device.QueuePairs;
import io.rxe.verbs.QueuePair;
import io.rxe.wire.Gid;
import java.util.List;

/** Fake queue pairs. They carry no data, so no first packet is reported: tests call notifyEstablished. */
final class FakeQueuePairs implements QueuePairs {
    @Override
    public Observed of(QueuePair queuePair) {
        return (FakeQueuePair) queuePair;
    }

    @Override
    public void refuseBroadcast(String what, Gid address) {
        // Its network has no subnets.
    }

    @Override
    public List<Gid> gids() {
        return List.of(Gid.parse("10.0.0.1"));
    }
}
