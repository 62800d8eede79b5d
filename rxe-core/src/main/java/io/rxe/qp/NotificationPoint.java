package io.rxe.qp;

import io.rxe.counters.NicCounter;
import io.rxe.port.EcnOptions;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.OutboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;

/**
 * Notifies the peer of a queue pair, with CNPs, that routers marked its packets: one for all marks of {@value #INTERVAL_NS} ns, as adapters
 * do. Only to a peer that is known as an rxe, unless every peer is to be notified: a kernel peer must never get one (rule K8). No mark is
 * answered where the NIC is no notification point, nor one on what an rxe sends without data, which routers may not mark. Marks on READ
 * responses of a peer that obeys a rate are for the requester itself (rule G9).
 *
 * <p>Owned by the engine thread. Source: InfiniBand, annex on RoCEv2, 17.9.3.
 */
final class NotificationPoint {
    /** Adapters' min_time_between_cnps. */
    static final long INTERVAL_NS = 50_000;

    private final QueuePairContext context;
    private final EcnOptions options;
    private final OutboundPacket out;
    /** The path that {@link #flow} is for; null before the first notification. */
    private Flow path;
    private Flow flow;
    private boolean due;
    private long nextNs = Long.MIN_VALUE;
    private long nextOwnNs = Long.MIN_VALUE;

    NotificationPoint(QueuePairContext context, EcnOptions options) {
        this.context = context;
        this.options = options;
        this.out = new OutboundPacket(context);
    }

    /**
     * A marked packet of the peer was accepted.
     *
     * @param isKnown whether the peer is known as an rxe.
     * @param isData  whether the packet may carry payload.
     */
    void onMarked(boolean isKnown, boolean isData, long nowNs) {
        due |= nowNs >= nextNs && options.notificationPoint() && (isKnown ? isData : options.notifiesEveryPeer());
    }

    /** A marked packet arrived that this side has to obey itself; true as often as a peer would be notified. */
    boolean mayObey(long nowNs) {
        if (nowNs < nextOwnNs) {
            return false;
        }
        nextOwnNs = nowNs + INTERVAL_NS;
        return true;
    }

    boolean isDue() {
        return due;
    }

    /** No connection: nothing is due. */
    void stop() {
        due = false;
        nextNs = Long.MIN_VALUE;
        nextOwnNs = Long.MIN_VALUE;
    }

    /** Sends the notification that is due; false when the sink is full, or nobody takes it any more. */
    boolean poll(PacketSink sink, long nowNs) {
        if (!context.state().canReceive()) {
            due = false;
            return false;
        }
        if (path != context.flow()) {
            path = context.flow();
            flow = path.withTrafficClass(options.cnpTrafficClass());
        }
        if (!out.claim(sink, flow, Opcode.CNP, 0)) {
            return false;
        }
        out.writeBth(Opcode.CNP, false, context.attributes().destinationQpn(), false, 0);
        Bth.notifyBackward(out.buffer(), out.offset());
        out.buffer().setMemory(out.offset() + Bth.LENGTH, Opcode.CNP.headerLength() - Bth.LENGTH, (byte) 0);
        out.commit();
        due = false;
        nextNs = nowNs + INTERVAL_NS;
        context.counters().count(NicCounter.NP_CNP_SENT);
        return true;
    }
}
