package io.rxe.cm;

import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.exchange.CmCore;
import io.rxe.port.Entropy;
import io.rxe.port.SameThread;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;

/** Connection management of one NIC in a simulated network, with one event channel and all events taken from it. */
final class CmNode {
    static final int ACK_DELAY_CODE = 15;

    final Gid gid;
    final CmCore core;
    final ConnectionService service;
    final CmEventChannel channel;
    final List<CmEvent> events = new ArrayList<>();
    private int nextQueuePair = 0x11;

    CmNode(CmConfig config, Entropy entropy) {
        this(config, entropy, new CmEventChannel());
    }

    CmNode(CmConfig config, Entropy entropy, CmEventChannel channel) {
        this.gid = config.gid();
        this.core = new CmCore(config, entropy);
        this.service = new ConnectionService(core, SameThread.INLINE, new FakeQueuePairs());
        this.channel = channel;
    }

    /** The limits of a NIC, but for that of requests nobody confirms: tests of other limits inject thousands at one instant. */
    static CmConfig config(String address) {
        Gid gid = Gid.parse(address);
        return CmLimits.of(CmConfig.of(gid, 4791, PathMtu.MTU_1024, gid.adapterGuid(), ACK_DELAY_CODE)).requests(1_000_000).config();
    }

    FakeQueuePair queuePair() {
        return queuePair(QueuePairType.RC);
    }

    /** A new queue pair; one for datagrams is in RTS. */
    FakeQueuePair queuePair(QueuePairType type) {
        FakeQueuePair made = new FakeQueuePair(nextQueuePair++, type, gid, core.config().portMtu());
        if (type == QueuePairType.UD) {
            ConnectionService.prepare(made);
        }
        return made;
    }

    /** Takes the next event, which must be of a type. */
    CmEvent take(CmEvent.Type type) {
        CmEvent event = channel.poll();
        if (event == null || event.type() != type) {
            throw new AssertionError("expected " + type + " at " + gid + ", got " + event + "; before that " + types());
        }
        events.add(event);
        return event;
    }

    /** Takes all events. */
    List<CmEvent> takeAll() {
        List<CmEvent> taken = new ArrayList<>();
        for (CmEvent event = channel.poll(); event != null; event = channel.poll()) {
            taken.add(event);
        }
        events.addAll(taken);
        return taken;
    }

    List<CmEvent.Type> types() {
        return events.stream().map(CmEvent::type).toList();
    }
}
