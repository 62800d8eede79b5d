package io.rxe.cm.exchange;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairCapabilities;

/**
 * What this side requests or offers in a REQ, SIDR_REQ or REP.
 *
 * @param responderResources READs and atomics of the peer this side serves at once, 0 to 128.
 * @param initiatorDepth     READs and atomics this side wants in flight, 0 to 128.
 * @param retryCount         transport retries of both sides, 0 to 7; a REP has none.
 * @param rnrRetry           RNR retries of the peer, 0 to 7 (7 = unlimited).
 * @param ackTimeoutCode     transport timer of both sides, 1 to 31, or 0 = derived (rule T10); a REP has none.
 * @param trafficClass       of the data and its answers, 0 to 255; a REP has none.
 * @param pathMtu            path MTU, or null = that of the port; a REP has none.
 * @param sharedReceiveQueue whether the queue pair receives from an SRQ.
 * @param endToEndCredits    whether the responder of the queue pair gives end-to-end credits (rule R19); of RC only.
 * @param privateData        for the application of the peer; not modified after the call.
 * @param timeoutNs          longest wait for the peer in nanoseconds from the first message, or {@link Long#MAX_VALUE}.
 * @param partitionKeyIndex  of the P_Key of messages and data, in the table of this NIC; a REP has none.
 */
public record RequestedTerms(int responderResources, int initiatorDepth, int retryCount, int rnrRetry, int ackTimeoutCode, int trafficClass,
                             PathMtu pathMtu, boolean sharedReceiveQueue, boolean endToEndCredits, byte[] privateData, long timeoutNs,
                             int partitionKeyIndex) {
    /** The same with other depths: those both sides agreed on. */
    public RequestedTerms withDepths(int newResponderResources, int newInitiatorDepth) {
        return new RequestedTerms(newResponderResources, newInitiatorDepth, retryCount, rnrRetry, ackTimeoutCode, trafficClass,
            pathMtu, sharedReceiveQueue, endToEndCredits, privateData, timeoutNs, partitionKeyIndex);
    }

    /** The same for a queue pair: what it has replaces what the application said about it. */
    public RequestedTerms of(QueuePairCapabilities pair) {
        return new RequestedTerms(responderResources, initiatorDepth, retryCount, rnrRetry, ackTimeoutCode, trafficClass, pathMtu,
            sharedReceiveQueue || pair.maxReceiveRequests() == 0, pair.endToEndCredits(), privateData, timeoutNs, partitionKeyIndex);
    }
}
