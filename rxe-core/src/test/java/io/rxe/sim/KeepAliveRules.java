package io.rxe.sim;

import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Checks the keep-alives of one requester (rule T11): an RDMA WRITE of no bytes with the PSN before the next one, while nothing is
 * outstanding, one ACK timeout apart. A peer counts as gone only when 1 + retry_cnt of them had no answer.
 */
final class KeepAliveRules {
    private static final long TIMEOUT_UNIT_NS = 4096;

    private final ProtocolMonitor monitor;
    private int unanswered;
    private long latestNs = Long.MIN_VALUE;
    private boolean exhausted;

    KeepAliveRules(ProtocolMonitor monitor) {
        this.monitor = monitor;
    }

    /** A request is sent; returns whether it is a keep-alive, as opposed to a retransmission of the last request. */
    boolean onSent(Opcode opcode, long seq, UnsafeBuffer buffer, int length, long nowNs) {
        ApplicationSettings settings = monitor.settings;
        boolean isEmptyWrite = opcode == Opcode.RC_RDMA_WRITE_ONLY && Reth.dmaLength(buffer, opcode.rethOffset()) == 0;
        if (settings.keepAliveNs == 0 || !isEmptyWrite || seq != monitor.nextSeq() - 1) {
            return false;
        }
        if (monitor.sentMessage(seq) != null && monitor.packet(seq).digest == WirePacket.digest(buffer, length)) {
            return false;
        }
        if (monitor.ackedSeq() != monitor.nextSeq() || !Bth.isAckRequested(buffer, 0)) {
            throw monitor.failure("a keep-alive is sent without AckReq, or while requests are outstanding (rule T11)");
        }
        long leastNs = Math.min(settings.keepAliveNs, TIMEOUT_UNIT_NS << settings.timeout);
        if (!settings.twoPaths && latestNs != Long.MIN_VALUE && nowNs - latestNs < leastNs) {
            throw monitor.failure("a keep-alive is sent " + (nowNs - latestNs) + " ns after the one before it, sooner than " + leastNs
                + " ns (rule T11)");
        }
        latestNs = nowNs;
        unanswered++;
        return true;
    }

    /** A response reaches the requester. */
    void onAnswer() {
        unanswered = 0;
    }

    /** The queue pair of the requester has just failed. */
    void freeze() {
        exhausted = unanswered > monitor.settings.retryCount;
    }

    /** Whether the queue pair failed because its peer had not answered. */
    boolean isExhausted() {
        return exhausted;
    }

    /** The run is over: an idle queue pair must not send any more. */
    static void end(Application application) {
        if (!application.isGone() && application.queuePair.state() == QueuePairState.RTS && application.settings.keepAliveNs > 0) {
            application.queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).keepAliveNs(0));
        }
    }
}
