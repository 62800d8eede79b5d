package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.QpAttr;
import io.rxe.ibverbs.Layout.QpCap;
import io.rxe.ibverbs.Layout.QpInitAttr;
import io.rxe.ibverbs.Layout.Sge;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairCapabilities;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.wire.Gid;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.agrona.UnsafeApi;

final class ProgramQueuePair extends ProgramResource<QueuePair> {
    /** More than any queue holds. */
    private static final int LARGEST_CAPACITY = 1 << 24;

    /** Null for an XRC_RECV queue pair, to which nothing can be posted. */
    private final Sends sends;
    private final Receives receives;
    private final Set<ProgramCompletionQueue> completionQueues = new LinkedHashSet<>();
    private final int udpPort;
    /** Those that it receives from. Guarded by itself. */
    private final Set<Gid> groups = new HashSet<>();
    private volatile int gidIndex;

    ProgramQueuePair(QueuePair queuePair, Sends sends, int udpPort, ProgramResource<?>... needs) {
        super(queuePair, needs);
        this.sends = sends;
        this.receives = new Receives(queuePair::beginReceives);
        this.udpPort = udpPort;
        for (ProgramResource<?> needed : needs) {
            if (needed instanceof ProgramCompletionQueue queue) {
                completionQueues.add(queue);
            }
        }
    }

    boolean completesTo(ProgramCompletionQueue queue) {
        return completionQueues.contains(queue);
    }

    /** The number of {@code ibv_qp_type}. */
    static int number(QueuePairType type) {
        return switch (type) {
            case RC -> 2;
            case UC -> 3;
            case UD -> 4;
            case XRC_SEND -> 9;
            case XRC_RECV -> 10;
        };
    }

    private static QueuePairType type(int number) {
        return Stream.of(QueuePairType.RC, QueuePairType.UC, QueuePairType.UD, QueuePairType.XRC_SEND)
            .filter(type -> number(type) == number).findFirst()
            .orElseThrow(() -> VerbFailure.of(VerbError.EOPNOTSUPP, "qp_type " + number + " is not supported: use RC, UC, UD,"
                + " XRC_SEND, or XRC_RECV with ibv_create_qp_ex"));
    }

    /**
     * Reads {@code ibv_qp_init_attr}. A queue the program asks no room for gets room for one.
     * As much inline data as the scatter list of a request has room for is granted always, as by rdma_rxe: programs rely on it.
     *
     * @param shared null for a receive queue of its own.
     */
    static QueuePairConfig readConfig(long attr, CompletionQueue sendCq, CompletionQueue receiveCq, SharedReceiveQueue shared) {
        long cap = attr + QpInitAttr.CAP;
        QueuePairType type = type(UnsafeApi.getInt(attr + QpInitAttr.QP_TYPE));
        boolean receives = shared == null && type != QueuePairType.XRC_SEND;
        int sendElements = atLeastOne(cap + QpCap.MAX_SEND_SGE);
        return QueuePairConfig.of(type, sendCq, receiveCq)
            .withRequests(atLeastOne(cap + QpCap.MAX_SEND_WR), receives ? atLeastOne(cap + QpCap.MAX_RECV_WR) : 1)
            .withElements(sendElements, receives ? atLeastOne(cap + QpCap.MAX_RECV_SGE) : 1)
            .withInline(Math.max(limited(cap + QpCap.MAX_INLINE_DATA), Sge.SIZE * sendElements))
            .withSignalAll(UnsafeApi.getInt(attr + QpInitAttr.SQ_SIG_ALL) != 0)
            .withSharedReceiveQueue(shared);
    }

    private static int atLeastOne(long address) {
        return Math.max(1, limited(address));
    }

    /** An unsigned number that may be too large for the NIC, which then refuses it. */
    private static int limited(long address) {
        return (int) Math.min(UnsafeApi.getInt(address) & 0xFFFF_FFFFL, LARGEST_CAPACITY);
    }

    static void writeCapacities(QueuePairCapabilities granted, long cap) {
        UnsafeApi.putInt(cap + QpCap.MAX_SEND_WR, granted.maxSendRequests());
        UnsafeApi.putInt(cap + QpCap.MAX_RECV_WR, granted.maxReceiveRequests());
        UnsafeApi.putInt(cap + QpCap.MAX_SEND_SGE, granted.maxSendElements());
        UnsafeApi.putInt(cap + QpCap.MAX_RECV_SGE, granted.maxReceiveElements());
        UnsafeApi.putInt(cap + QpCap.MAX_INLINE_DATA, granted.maxInlineBytes());
    }

    int postSend(long wr, long bad) {
        if (sends == null) {
            UnsafeApi.putLong(bad, wr);
            throw VerbFailure.of(VerbError.EINVAL, "an XRC_RECV queue pair sends nothing: post to one of type XRC_SEND");
        }
        return sends.post(wr, bad);
    }

    int postReceive(long wr, long bad) {
        return receives.post(wr, bad);
    }

    void modify(long attr, int mask) {
        object().modify(QpAttributes.read(attr, QpAttributes.ofType(object().type(), mask), object().state(), udpPort));
        if ((mask & QpAttributes.AV) != 0) {
            gidIndex = AhAttributes.gidIndex(attr + QpAttr.AH_ATTR);
        }
        if (object().state() == QueuePairState.RESET) {
            completionQueues.forEach(queue -> queue.drop(object()));
        }
    }

    void attach(Gid group) {
        synchronized (groups) {
            object().attachMulticast(group);
            groups.add(group);
        }
    }

    void detach(Gid group) {
        synchronized (groups) {
            if (!object().detachMulticast(group)) {
                throw VerbFailure.of(VerbError.EINVAL, "the queue pair is no member of group " + group + ": attach it, and detach it once");
            }
            groups.remove(group);
        }
    }

    /** From now on it may be closed whatever it is attached to. */
    void forgetGroups() {
        synchronized (groups) {
            groups.clear();
        }
    }

    @Override
    void close() throws Exception {
        synchronized (groups) {
            if (!groups.isEmpty()) {
                throw VerbFailure.of(VerbError.EBUSY, "the queue pair is attached to " + groups + ": detach it first");
            }
        }
        super.close();
    }

    void query(long attr, long initAttr) {
        QueuePairAttributes attributes = object().query();
        QpAttributes.write(attributes, object().state(), gidIndex, attr);
        QueuePairCapabilities granted = object().capabilities();
        writeCapacities(granted, attr + QpAttr.CAP);
        writeCapacities(granted, initAttr + QpInitAttr.CAP);
        UnsafeApi.putInt(initAttr + QpInitAttr.SQ_SIG_ALL, granted.signalAll() ? 1 : 0);
    }
}
