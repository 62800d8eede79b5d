package io.rxe.ibverbs;

import io.rxe.ibverbs.Layout.QpAttr;
import io.rxe.ibverbs.Layout.QpCap;
import io.rxe.ibverbs.Layout.QpInitAttr;
import io.rxe.ibverbs.Layout.Sge;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.SharedReceiveQueue;
import org.agrona.UnsafeApi;

/** A queue pair of the program. */
final class ProgramQueuePair extends Resource<QueuePair> {
    private final QueuePairConfig config;
    private final Sends sends;
    private final Receives receives;
    private final int udpPort;
    private volatile int gidIndex;

    ProgramQueuePair(QueuePair queuePair, QueuePairConfig config, int udpPort, Handles<AddressHandle> addressHandles,
                     Resource<?>... needs) {
        super(queuePair, needs);
        this.config = config;
        this.sends = new Sends(queuePair, config.maxInlineBytes(), addressHandles);
        this.receives = new Receives(queuePair::postReceive);
        this.udpPort = udpPort;
    }

    /**
     * Reads {@code ibv_qp_init_attr}, and writes the capacities that are granted. A queue the program asks no room for gets room for one.
     * As much inline data as the scatter list of a request has room for is granted always, as by rdma_rxe: programs rely on it.
     *
     * @param shared null for a receive queue of its own.
     */
    static QueuePairConfig readConfig(long attr, CompletionQueue sendQueue, CompletionQueue receiveQueue, SharedReceiveQueue shared) {
        long cap = attr + QpInitAttr.CAP;
        QueuePairType type = switch (UnsafeApi.getInt(attr + QpInitAttr.QP_TYPE)) {
            case 2 -> QueuePairType.RC;
            case 3 -> QueuePairType.UC;
            case 4 -> QueuePairType.UD;
            default -> throw new VerbException(Errno.EOPNOTSUPP, "qp_type " + UnsafeApi.getInt(attr + QpInitAttr.QP_TYPE)
                + " is not supported: use RC, UC or UD");
        };
        QueuePairConfig config = QueuePairConfig.of(type, sendQueue, receiveQueue)
            .withRequests(atLeastOne(cap + QpCap.MAX_SEND_WR), shared == null ? atLeastOne(cap + QpCap.MAX_RECV_WR) : 1)
            .withElements(atLeastOne(cap + QpCap.MAX_SEND_SGE), shared == null ? atLeastOne(cap + QpCap.MAX_RECV_SGE) : 1)
            .withInline(Math.max(UnsafeApi.getInt(cap + QpCap.MAX_INLINE_DATA), Sge.SIZE * atLeastOne(cap + QpCap.MAX_SEND_SGE)))
            .withSignalAll(UnsafeApi.getInt(attr + QpInitAttr.SQ_SIG_ALL) != 0)
            .withSharedReceiveQueue(shared);
        writeCapacities(config, cap);
        return config;
    }

    private static int atLeastOne(long address) {
        return Math.max(1, UnsafeApi.getInt(address));
    }

    private static void writeCapacities(QueuePairConfig config, long cap) {
        boolean shared = config.sharedReceiveQueue() != null;
        UnsafeApi.putInt(cap + QpCap.MAX_SEND_WR, config.maxSendRequests());
        UnsafeApi.putInt(cap + QpCap.MAX_RECV_WR, shared ? 0 : config.maxReceiveRequests());
        UnsafeApi.putInt(cap + QpCap.MAX_SEND_SGE, config.maxSendElements());
        UnsafeApi.putInt(cap + QpCap.MAX_RECV_SGE, shared ? 0 : config.maxReceiveElements());
        UnsafeApi.putInt(cap + QpCap.MAX_INLINE_DATA, config.maxInlineBytes());
    }

    int postSend(long wr, long bad) {
        return sends.post(wr, bad);
    }

    int postReceive(long wr, long bad) {
        return receives.post(wr, bad);
    }

    void modify(long attr, int mask) {
        object().modify(QpAttributes.read(attr, mask, object().state(), udpPort));
        if ((mask & QpAttributes.AV) != 0) {
            gidIndex = AhAttributes.gidIndex(attr + QpAttr.AH_ATTR);
        }
    }

    void query(long attr, long initAttr) {
        QueuePairAttributes attributes = object().query();
        QpAttributes.write(attributes, object().state(), gidIndex, attr);
        writeCapacities(config, attr + QpAttr.CAP);
        writeCapacities(config, initAttr + QpInitAttr.CAP);
        UnsafeApi.putInt(initAttr + QpInitAttr.SQ_SIG_ALL, config.signalAll() ? 1 : 0);
    }
}
