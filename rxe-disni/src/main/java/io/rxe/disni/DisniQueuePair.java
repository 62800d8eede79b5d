package io.rxe.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPCap;
import com.ibm.disni.verbs.IbvQPInitAttr;
import io.rxe.cm.ConnectionService;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A queue pair of an id. Lists of requests are posted one at a time, so that each stays together. Acknowledgements leave first: programs
 * such as DiSNI's benchmarks count on a send that completes before the answer to it arrives, as with an adapter, and stop otherwise.
 */
final class DisniQueuePair extends IbvQP {
    /** Elements of a request that libdisni always asks for, whatever the program says. */
    private static final int LEAST_ELEMENTS = 4;
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final DisniDomain domain;
    private final QueuePair queuePair;
    private final Object sendLock = new Object();
    private final Object receiveLock = new Object();

    DisniQueuePair(DisniDomain domain, IbvQPInitAttr attr) throws IOException {
        this(domain, attr, create(domain, attr));
    }

    private DisniQueuePair(DisniDomain domain, IbvQPInitAttr attr, QueuePair queuePair) throws IOException {
        super(queuePair.number());
        this.domain = domain;
        this.queuePair = queuePair;
        this.handle = NUMBERS.incrementAndGet();
        this.qp_num = queuePair.number();
        this.qp_type = attr.getQp_type();
        this.state = IBV_QPS_INIT;
        this.context = domain.getContext();
        this.pd = domain;
        this.send_cq = attr.getSend_cq();
        this.recv_cq = attr.getRecv_cq();
        domain.onUsed();
    }

    /** In INIT, as {@code rdma_create_qp} leaves it, so that receives can be posted. */
    private static QueuePair create(DisniDomain domain, IbvQPInitAttr attr) {
        QueuePair created = domain.domain().createQueuePair(config(attr));
        try {
            ConnectionService.prepare(created);
        } catch (IllegalArgumentException | IllegalStateException e) {
            undo(created, e);
            throw e;
        }
        return created;
    }

    private static void undo(QueuePair created, RuntimeException why) {
        try {
            created.close();
        } catch (IllegalArgumentException | IllegalStateException e) {
            why.addSuppressed(e);
        }
    }

    private static QueuePairConfig config(IbvQPInitAttr attr) {
        if (attr.getSrq() != 0) {
            throw VerbFailure.of(VerbError.EOPNOTSUPP, "DiSNI cannot create shared receive queues: leave srq 0");
        }
        IbvQPCap cap = attr.cap();
        return QueuePairConfig.of(type(attr.getQp_type()), ((DisniCompletionQueue) attr.getSend_cq()).queue(),
                ((DisniCompletionQueue) attr.getRecv_cq()).queue())
            .withRequests(atLeastOne(cap.getMax_send_wr()), atLeastOne(cap.getMax_recv_wr()))
            .withElements(Math.max(LEAST_ELEMENTS, cap.getMax_send_sge()), Math.max(LEAST_ELEMENTS, cap.getMax_recv_sge()))
            .withInline(cap.getMax_inline_data())
            .withSignalAll(attr.getSq_sig_all() != 0)
            .withAcknowledgeFirst(true);
    }

    private static int atLeastOne(int asked) {
        return asked == 0 ? 1 : asked;
    }

    private static QueuePairType type(byte number) {
        return switch (number) {
            case IBV_QPT_RC -> QueuePairType.RC;
            case IBV_QPT_UC -> QueuePairType.UC;
            default -> throw VerbFailure.of(VerbError.EINVAL, "qp_type " + number
                + " cannot be connected: use IBV_QPT_RC or IBV_QPT_UC");
        };
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Held while a list is posted to the send queue. */
    Object sendLock() {
        return sendLock;
    }

    /** Held while a list is posted to the receive queue. */
    Object receiveLock() {
        return receiveLock;
    }

    /** {@code ibv_qp_state} has the same order. */
    @Override
    public int getState() {
        return queuePair.state().ordinal();
    }

    void destroy() {
        queuePair.close();
        close();
        domain.onUnused();
    }
}
