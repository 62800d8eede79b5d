package io.rxe.qp.completer;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;

/** Explains why a request failed: the peer, what was tried, for how long, and what to check. Built only when a request fails. */
final class FailureMessages {
    private final QueuePairContext context;
    private final RetryState retry;

    FailureMessages(QueuePairContext context, RetryState retry) {
        this.context = context;
        this.retry = retry;
    }

    /** @param oldest the operation that got no response. */
    String noAnswer(Operation oldest, int psn, long nowNs) {
        if (oldest == Operation.ATOMIC_WRITE || oldest == Operation.FLUSH) {
            String like = context.type() == QueuePairType.XRC_SEND ? "" : oldest == Operation.FLUSH ? ", as rdma_rxe does"
                : ", as rdma_rxe does before Linux 6.2";
            return noAnswer(psn, nowNs) + "; or it does not know " + oldest + " and drops it" + like
                + ": send it only to peers that have it";
        }
        return noAnswer(psn, nowNs);
    }

    private String noAnswer(int psn, long nowNs) {
        return "peer " + context.peer() + " did not answer PSN 0x" + Psn.toString(psn) + " in " + retry.failures()
            + " transmissions over " + millis(retry.failingForNs(nowNs) + retry.ackTimeoutNs()) + " (retry_cnt "
            + context.attributes().retryCount() + ", timeout code " + context.attributes().timeout()
            + "): check that it runs, that its queue pair is in RTR or RTS and has this QPN and address, that both agree on path MTU "
            + context.mtu() + " and every link between carries it, and that no firewall stops UDP " + context.flow().destinationPort();
    }

    /** @param transmissions of keep-alives. */
    String noKeepAlive(int transmissions, long forNs) {
        return "peer " + context.peer() + " did not answer " + transmissions + " keep-alives over " + millis(forNs)
            + " (one after " + millis(context.attributes().keepAliveNs()) + " without a request, retry_cnt "
            + context.attributes().retryCount() + ", timeout code " + context.attributes().timeout()
            + "): check that it runs, that its queue pair is in RTR or RTS, and that the path carries UDP "
            + context.flow().destinationPort();
    }

    String receiverNeverReady(int psn, long nowNs) {
        return "peer " + context.peer() + " had no receive request for PSN 0x" + Psn.toString(psn) + " in " + retry.failures()
            + " transmissions over " + millis(retry.failingForNs(nowNs)) + " (rnr_retry " + context.attributes().rnrRetry()
            + "): post receives there before sending, or raise rnr_retry or the peer's min_rnr_timer";
    }

    /** @param wqe the request that was refused, or null. */
    String refused(int syndrome, int psn, SendWqe wqe) {
        String advice = switch (syndrome) {
            case Syndrome.INVALID_REQUEST -> isMisaligned(wqe) ? "atomic operations need a remote address that is a multiple of 8"
                : "check that both sides use path MTU " + context.mtu() + ", its queue pair's access flags, the"
                    + " message length against its receive request and the number of READs and atomics it allows" + xrcAdvice(wqe);
            case Syndrome.REMOTE_ACCESS_ERROR -> "check rkey, address range and access flags of its memory region";
            default -> "its receive request names memory it cannot use";
        };
        return "peer " + context.peer() + " refused PSN 0x" + Psn.toString(psn) + (wqe == null ? "" : " (" + request(wqe) + ")") + " with "
            + Syndrome.describe(syndrome) + ": " + advice;
    }

    private static boolean isMisaligned(SendWqe wqe) {
        return wqe != null && (wqe.operation().isAtomic() || wqe.operation() == Operation.ATOMIC_WRITE) && (wqe.remoteAddress() & 7) != 0;
    }

    private String xrcAdvice(SendWqe wqe) {
        return wqe == null || context.type() != QueuePairType.XRC_SEND ? ""
            : ", and that its XRC domain has the shared receive queue 0x" + Integer.toHexString(wqe.remoteQpn());
    }

    private static String request(SendWqe wqe) {
        String text = wqe.operation() + " of " + wqe.lengthBytes() + " bytes";
        return wqe.operation().isSend() ? text : text + " at remote address 0x" + Long.toHexString(wqe.remoteAddress()) + " with rkey 0x"
            + Integer.toHexString(wqe.remoteKey());
    }

    String badResponse(InboundPacket packet) {
        return "peer " + context.peer() + " answered PSN 0x" + Psn.toString(packet.psn()) + " with " + packet.opcode() + " of "
            + packet.payloadLength() + " bytes, which does not fit the request: check that both sides use path MTU " + context.mtu();
    }

    private static String millis(long ns) {
        return ns / 1_000_000 + "." + ns / 100_000 % 10 + " ms";
    }
}
