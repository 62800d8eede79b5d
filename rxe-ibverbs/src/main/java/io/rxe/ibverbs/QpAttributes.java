package io.rxe.ibverbs;

import io.rxe.cm.ConnectParameters;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.QpAttr;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Psn;
import java.util.List;
import org.agrona.UnsafeApi;

/** Reads and writes {@code ibv_qp_attr}. */
final class QpAttributes {
    static final int AV = 1 << 7;
    private static final int STATE = 1;
    private static final int CUR_STATE = 1 << 1;
    private static final int EN_SQD_ASYNC_NOTIFY = 1 << 2;
    private static final int ACCESS_FLAGS = 1 << 3;
    private static final int PKEY_INDEX = 1 << 4;
    private static final int PORT = 1 << 5;
    private static final int QKEY = 1 << 6;
    private static final int PATH_MTU = 1 << 8;
    private static final int TIMEOUT = 1 << 9;
    private static final int RETRY_CNT = 1 << 10;
    private static final int RNR_RETRY = 1 << 11;
    private static final int RQ_PSN = 1 << 12;
    private static final int MAX_QP_RD_ATOMIC = 1 << 13;
    private static final int ALT_PATH = 1 << 14;
    private static final int MIN_RNR_TIMER = 1 << 15;
    private static final int SQ_PSN = 1 << 16;
    private static final int MAX_DEST_RD_ATOMIC = 1 << 17;
    private static final int PATH_MIG_STATE = 1 << 18;
    private static final int DEST_QPN = 1 << 20;
    private static final int SUPPORTED = STATE | CUR_STATE | EN_SQD_ASYNC_NOTIFY | ACCESS_FLAGS | PKEY_INDEX | PORT | QKEY | AV | PATH_MTU
        | TIMEOUT | RETRY_CNT | RNR_RETRY | RQ_PSN | MAX_QP_RD_ATOMIC | ALT_PATH | MIN_RNR_TIMER | SQ_PSN | MAX_DEST_RD_ATOMIC
        | PATH_MIG_STATE | DEST_QPN;
    /** The rights of a peer; that of the NIC itself belongs to a region. */
    private static final int PEER_ACCESS = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
        | AccessFlags.LOCAL_WRITE | AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT;
    /** Of a responder that rdma_cm sets up: 0.64 ms. */
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final QueuePairState[] STATES = QueuePairState.values();
    /** In the order of {@code ibv_mig_state}. */
    private static final List<PathMigrationState> MIGRATION_STATES = List.of(PathMigrationState.MIGRATED, PathMigrationState.REARM,
        PathMigrationState.ARMED);

    private QpAttributes() {
    }

    /** What is left of a mask without what the other end of an extended reliable connection has: {@code ib_uverbs} ignores it. */
    static int ofType(QueuePairType type, int mask) {
        return switch (type) {
            case XRC_SEND -> mask & ~(MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER);
            case XRC_RECV -> mask & ~(MAX_QP_RD_ATOMIC | RETRY_CNT | RNR_RETRY);
            default -> mask;
        };
    }

    /**
     * Reads what {@code ibv_modify_qp} is to change.
     *
     * @param mask    {@code ibv_qp_attr_mask}.
     * @param current the state of the queue pair.
     * @param udpPort of the peer.
     * @throws RuntimeException {@link VerbFailure} for an attribute this NIC does not have, and a current state that is not the one the
     *                          program expects.
     */
    static QueuePairAttributes read(long attr, int mask, QueuePairState current, int udpPort) {
        if ((mask & ~SUPPORTED) != 0) {
            throw VerbFailure.of(VerbError.EOPNOTSUPP, "attributes 0x" + Integer.toHexString(mask & ~SUPPORTED)
                + " of ibv_modify_qp are not supported: new capacities and rate limits");
        }
        if ((mask & CUR_STATE) != 0 && state(attr + QpAttr.CUR_QP_STATE) != current) {
            throw VerbFailure.of(VerbError.EINVAL, "cur_qp_state is not " + current + ", the state of the queue pair");
        }
        QueuePairAttributes change = QueuePairAttributes.to((mask & STATE) != 0 ? state(attr + QpAttr.QP_STATE) : current);
        readLocal(change, attr, mask);
        readPeer(change, attr, mask, udpPort);
        readAlternatePath(change, attr, mask, udpPort);
        return change;
    }

    private static void readAlternatePath(QueuePairAttributes change, long attr, int mask, int udpPort) {
        if ((mask & ALT_PATH) != 0) {
            change.alternatePath(new AlternatePath(AhAttributes.read(attr + QpAttr.ALT_AH_ATTR, udpPort),
                Layout.byteAt(attr + QpAttr.ALT_PORT_NUM), Layout.byteAt(attr + QpAttr.ALT_TIMEOUT),
                UnsafeApi.getShort(attr + QpAttr.ALT_PKEY_INDEX) & 0xFFFF));
        }
        if ((mask & PATH_MIG_STATE) != 0) {
            int number = UnsafeApi.getInt(attr + QpAttr.PATH_MIG_STATE);
            if (number < 0 || number >= MIGRATION_STATES.size()) {
                throw VerbFailure.of(VerbError.EINVAL, "path migration state " + number + " does not exist: use IBV_MIG_REARM or"
                    + " IBV_MIG_MIGRATED");
            }
            change.pathMigrationState(MIGRATION_STATES.get(number));
        }
    }

    private static void readLocal(QueuePairAttributes change, long attr, int mask) {
        if ((mask & EN_SQD_ASYNC_NOTIFY) != 0) {
            change.drainedNotification(UnsafeApi.getByte(attr + QpAttr.EN_SQD_ASYNC_NOTIFY) != 0);
        }
        if ((mask & ACCESS_FLAGS) != 0) {
            change.accessFlags(UnsafeApi.getInt(attr + QpAttr.QP_ACCESS_FLAGS) & PEER_ACCESS);
        }
        if ((mask & PKEY_INDEX) != 0) {
            change.partitionKeyIndex(UnsafeApi.getShort(attr + QpAttr.PKEY_INDEX) & 0xFFFF);
        }
        if ((mask & PORT) != 0) {
            change.port(Layout.byteAt(attr + QpAttr.PORT_NUM));
        }
        if ((mask & QKEY) != 0) {
            change.queueKey(UnsafeApi.getInt(attr + QpAttr.QKEY));
        }
        if ((mask & TIMEOUT) != 0) {
            change.timeout(Layout.byteAt(attr + QpAttr.TIMEOUT));
        }
        if ((mask & RETRY_CNT) != 0) {
            change.retryCount(Layout.byteAt(attr + QpAttr.RETRY_CNT));
        }
        if ((mask & RNR_RETRY) != 0) {
            change.rnrRetry(Layout.byteAt(attr + QpAttr.RNR_RETRY));
        }
        if ((mask & MAX_QP_RD_ATOMIC) != 0) {
            change.maxRdAtomic(Layout.byteAt(attr + QpAttr.MAX_RD_ATOMIC));
        }
        if ((mask & MAX_DEST_RD_ATOMIC) != 0) {
            change.maxDestRdAtomic(Layout.byteAt(attr + QpAttr.MAX_DEST_RD_ATOMIC));
        }
        if ((mask & MIN_RNR_TIMER) != 0) {
            change.minRnrTimer(Layout.byteAt(attr + QpAttr.MIN_RNR_TIMER));
        }
    }

    /** PSNs and queue pair numbers have 24 bits; the rest of the field is ignored, as by rdma_rxe. */
    private static void readPeer(QueuePairAttributes change, long attr, int mask, int udpPort) {
        if ((mask & AV) != 0) {
            change.addressVector(AhAttributes.read(attr + QpAttr.AH_ATTR, udpPort));
        }
        if ((mask & PATH_MTU) != 0) {
            change.pathMtu(PathMtu.ofCode(UnsafeApi.getInt(attr + QpAttr.PATH_MTU)));
        }
        if ((mask & RQ_PSN) != 0) {
            change.receivePsn(UnsafeApi.getInt(attr + QpAttr.RQ_PSN) & Psn.MASK);
        }
        if ((mask & SQ_PSN) != 0) {
            change.sendPsn(UnsafeApi.getInt(attr + QpAttr.SQ_PSN) & Psn.MASK);
        }
        if ((mask & DEST_QPN) != 0) {
            change.destinationQpn(UnsafeApi.getInt(attr + QpAttr.DEST_QP_NUM) & Psn.MASK);
        }
    }

    /** Writes every field but the capacities. */
    static void write(QueuePairAttributes from, QueuePairState state, int gidIndex, long attr) {
        UnsafeApi.setMemory(attr, QpAttr.SIZE, (byte) 0);
        UnsafeApi.putInt(attr + QpAttr.QP_STATE, state.ordinal());
        UnsafeApi.putInt(attr + QpAttr.CUR_QP_STATE, state.ordinal());
        UnsafeApi.putInt(attr + QpAttr.PATH_MTU, from.pathMtu().code());
        UnsafeApi.putInt(attr + QpAttr.QKEY, from.queueKey());
        UnsafeApi.putInt(attr + QpAttr.RQ_PSN, from.receivePsn());
        UnsafeApi.putInt(attr + QpAttr.SQ_PSN, from.sendPsn());
        UnsafeApi.putInt(attr + QpAttr.DEST_QP_NUM, from.destinationQpn());
        UnsafeApi.putInt(attr + QpAttr.QP_ACCESS_FLAGS, from.accessFlags());
        if (from.addressVector() != null) {
            AhAttributes.write(from.addressVector(), gidIndex, 0, attr + QpAttr.AH_ATTR);
        }
        AlternatePath alternate = from.alternatePath();
        if (alternate != null) {
            AhAttributes.write(alternate.addressVector(), gidIndex, 0, attr + QpAttr.ALT_AH_ATTR);
            UnsafeApi.putByte(attr + QpAttr.ALT_PORT_NUM, (byte) alternate.port());
            UnsafeApi.putByte(attr + QpAttr.ALT_TIMEOUT, (byte) alternate.timeout());
            UnsafeApi.putShort(attr + QpAttr.ALT_PKEY_INDEX, (short) alternate.partitionKeyIndex());
        }
        UnsafeApi.putInt(attr + QpAttr.PATH_MIG_STATE, MIGRATION_STATES.indexOf(from.pathMigrationState()));
        UnsafeApi.putShort(attr + QpAttr.PKEY_INDEX, (short) from.partitionKeyIndex());
        UnsafeApi.putByte(attr + QpAttr.EN_SQD_ASYNC_NOTIFY, (byte) (from.isDrainedNotification() ? 1 : 0));
        UnsafeApi.putByte(attr + QpAttr.MAX_RD_ATOMIC, (byte) from.maxRdAtomic());
        UnsafeApi.putByte(attr + QpAttr.MAX_DEST_RD_ATOMIC, (byte) from.maxDestRdAtomic());
        UnsafeApi.putByte(attr + QpAttr.MIN_RNR_TIMER, (byte) from.minRnrTimer());
        UnsafeApi.putByte(attr + QpAttr.PORT_NUM, (byte) from.port());
        UnsafeApi.putByte(attr + QpAttr.TIMEOUT, (byte) from.timeout());
        UnsafeApi.putByte(attr + QpAttr.RETRY_CNT, (byte) from.retryCount());
        UnsafeApi.putByte(attr + QpAttr.RNR_RETRY, (byte) from.rnrRetry());
    }

    /**
     * Writes what the queue pair of a connection needs to go to a state.
     *
     * @param terms null before the peers agreed, when only INIT is possible.
     * @return the mask of what is set.
     */
    static int writeConnected(QueuePairState state, ConnectionTerms terms, long attr) {
        if (state == QueuePairState.INIT) {
            write(terms == null ? QueuePairAttributes.toInit(ConnectionTerms.accessFlags(0)) : terms.toInit(), state, 0, attr);
            return STATE | ACCESS_FLAGS | PKEY_INDEX | PORT;
        }
        if (terms == null) {
            throw VerbFailure.of(VerbError.EINVAL, "a queue pair can go to " + state + " when both sides have agreed: after the event"
                + " CONNECT_REQUEST or CONNECT_RESPONSE");
        }
        boolean reliable = terms.type() == QueuePairType.RC;
        switch (state) {
            case RTR -> {
                write(terms.toReadyToReceive(MIN_RNR_TIMER_CODE), state, 0, attr);
                return STATE | AV | PATH_MTU | DEST_QPN | RQ_PSN | (reliable ? MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER : 0);
            }
            case RTS -> {
                write(terms.toReadyToSend(), state, 0, attr);
                return STATE | SQ_PSN | (reliable ? TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_QP_RD_ATOMIC : 0);
            }
            default -> throw VerbFailure.of(VerbError.EINVAL, "a connection has no attributes for " + state
                + ": ask for INIT, RTR or RTS");
        }
    }

    /** As {@link #writeConnected}, for a datagram service. */
    static int writeDatagram(QueuePairState state, long attr) {
        switch (state) {
            case INIT -> {
                write(QueuePairAttributes.to(state).partitionKeyIndex(0).port(1).queueKey(ConnectParameters.DEFAULT_QUEUE_KEY), state, 0,
                    attr);
                return STATE | PKEY_INDEX | PORT | QKEY;
            }
            case RTR -> {
                write(QueuePairAttributes.to(state), state, 0, attr);
                return STATE;
            }
            case RTS -> {
                write(QueuePairAttributes.to(state).sendPsn(0), state, 0, attr);
                return STATE | SQ_PSN;
            }
            default -> throw VerbFailure.of(VerbError.EINVAL, "a datagram service has no attributes for " + state
                + ": ask for INIT, RTR or RTS");
        }
    }

    /** The state at an address: the first field of {@code ibv_qp_attr}. */
    static QueuePairState state(long address) {
        int number = UnsafeApi.getInt(address);
        if (number < 0 || number >= STATES.length) {
            throw VerbFailure.of(VerbError.EINVAL, "queue pair state " + number + " does not exist");
        }
        return STATES[number];
    }
}
