package io.rxe.net.fault;

import static io.rxe.verbs.CompletionStatus.BAD_RESP_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_ACCESS_ERR;
import static io.rxe.verbs.CompletionStatus.MW_BIND_ERR;
import static io.rxe.verbs.CompletionStatus.REM_ABORT_ERR;
import static io.rxe.verbs.CompletionStatus.REM_ACCESS_ERR;
import static io.rxe.verbs.CompletionStatus.REM_INV_RD_REQ_ERR;
import static io.rxe.verbs.CompletionStatus.REM_INV_REQ_ERR;
import static io.rxe.verbs.CompletionStatus.REM_OP_ERR;
import static io.rxe.verbs.CompletionStatus.RESP_TIMEOUT_ERR;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.RNR_RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;

import io.rxe.fault.ConnectionFault;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairType;
import java.util.EnumSet;
import java.util.Set;

/**
 * One fault: where it happens, what, and when.
 *
 * @param verb       the call that fails; for a request, the one that posts it; null where something happens without a call.
 * @param error      error of the call, or status of the event; else null.
 * @param status     of the completion of a request; else null.
 * @param connection event with which a call of connection management fails; else null.
 * @param timed      what happens without a call; else null.
 * @param event      the event of {@link TimedFault.Kind#EVENT}; else null.
 * @param reason     of a REJ, 1 to 33; 0 without a REJ. Without a verb, requests of peers are rejected.
 * @param trigger    when.
 * @param queuePair  number of the only queue pair that the fault concerns; 0 for all.
 * @param fromNs     ns since the NIC was opened, from which on the rule counts.
 * @param words      the point and the fault, as they are written.
 */
record VerbsRule(Verb verb, VerbError error, CompletionStatus status, ConnectionFault.Event connection, TimedFault.Kind timed,
                 AsyncEvent.Type event, int reason, Trigger trigger, int queuePair, long fromNs, String words) {
    /** Statuses that follow from a response, or from none: UC and UD, without acknowledgements, do not have them (IBTA 10.10). */
    private static final Set<CompletionStatus> OF_ANSWERS = EnumSet.of(BAD_RESP_ERR, REM_INV_REQ_ERR, REM_ACCESS_ERR, REM_OP_ERR,
        RETRY_EXC_ERR, RNR_RETRY_EXC_ERR, REM_INV_RD_REQ_ERR, REM_ABORT_ERR, RESP_TIMEOUT_ERR);
    /** What a receive request can complete with: not what an answer says, nor what becomes of a window (IBTA 11.6.2). */
    static final Set<CompletionStatus> OF_RECEIVES = EnumSet.complementOf(EnumSet.of(SUCCESS, MW_BIND_ERR, BAD_RESP_ERR, REM_ACCESS_ERR,
        REM_OP_ERR, RETRY_EXC_ERR, RNR_RETRY_EXC_ERR, REM_INV_RD_REQ_ERR, RESP_TIMEOUT_ERR));
    /** Of remote requests other than SEND, which UD has none of. */
    private static final Set<CompletionStatus> OF_REMOTE_REQUESTS = EnumSet.of(LOC_ACCESS_ERR, REM_INV_REQ_ERR);

    /** Whether it happens in calls, and not by itself. */
    boolean isOfCalls() {
        return timed == null;
    }

    /** Whether requests of peers are rejected. */
    boolean isRefusal() {
        return verb == null && timed == null;
    }

    /** Whether it is about what is posted to a send queue, and may happen there. Where not, the request does not count. */
    boolean isOfRequest(int number, QueuePairType type) {
        boolean isAcknowledged = type != QueuePairType.UC && type != QueuePairType.UD;
        return verb == Verb.POST_SEND && (queuePair == 0 || queuePair == number) && (isAcknowledged || !OF_ANSWERS.contains(status));
    }

    /** Whether it is about what becomes of receive requests, and may happen there. Where not, the request does not count. */
    boolean isOfReceive(Verb posted, int number, QueuePairType type) {
        return verb == posted && status != null && (queuePair == 0 || queuePair == number)
            && (type != QueuePairType.UD || !OF_REMOTE_REQUESTS.contains(status));
    }

    VerbsRule from(long ns) {
        return new VerbsRule(verb, error, status, connection, timed, event, reason, trigger, queuePair, ns, words);
    }

    @Override
    public String toString() {
        return words + trigger + (queuePair == 0 ? "" : " qp 0x" + Integer.toHexString(queuePair));
    }
}
