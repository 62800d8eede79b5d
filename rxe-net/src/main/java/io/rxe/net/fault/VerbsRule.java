package io.rxe.net.fault;

import io.rxe.fault.ConnectionFault;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;

/**
 * One fault: where it happens, what, and when.
 *
 * @param verb       the call that it is about; POST_SEND for what becomes of requests, null for what is no call's.
 * @param error      with which the call fails, or which the status of the event is; else null.
 * @param status     with which a request completes; else null.
 * @param connection event with which a call of connection management fails; else null.
 * @param timed      what happens by itself; else null.
 * @param event      with {@link TimedFault.Kind#EVENT} which.
 * @param reason     of a REJ, 1 to 33; 0 for what is none. Without a verb, requests of peers are rejected.
 * @param trigger    when.
 * @param queuePair  number of the only queue pair that it is about; 0 for all.
 * @param fromNs     time since the NIC was opened from which on it counts.
 * @param words      the point and the fault, as they are written.
 */
record VerbsRule(Verb verb, VerbError error, CompletionStatus status, ConnectionFault.Event connection, TimedFault.Kind timed,
                 AsyncEvent.Type event, int reason, Trigger trigger, int queuePair, long fromNs, String words) {
    /** Whether it happens in calls, and not by itself. */
    boolean isOfCalls() {
        return timed == null;
    }

    /** Whether requests of peers are rejected. */
    boolean isRefusal() {
        return verb == null && timed == null;
    }

    VerbsRule from(long ns) {
        return new VerbsRule(verb, error, status, connection, timed, event, reason, trigger, queuePair, ns, words);
    }

    @Override
    public String toString() {
        return words + trigger + (queuePair == 0 ? "" : " qp 0x" + Integer.toHexString(queuePair));
    }
}
