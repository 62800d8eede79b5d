package io.rxe.tools.sequence;

import io.rxe.tools.flow.RetransmissionCause;

/** One loss and its repair. Times in ns since the beginning of the capture. */
final class Recovery {
    /** The last one, if it was repaired for several. */
    RetransmissionCause cause;
    final long firstSeq;
    final int firstPsn;
    final String frame;
    /** The lost packet was sent, or its gap appeared. */
    final long originalNs;
    /** A NAK, a report or a later response told it; the time of sending if nothing did. */
    final long toldNs;
    final long againNs;
    /** Acknowledged; -1 if the capture does not show it. */
    long endNs = -1;
    long endSeq;
    long runEnd;
    int packets = 1;
    /** A response is missing, so that it ends with that one, not with an acknowledgement. */
    boolean isOfResponse;
    /** How often the first packet was sent again. */
    int rounds = 1;

    Recovery(RetransmissionCause cause, long firstSeq, int firstPsn, String frame, long originalNs, long toldNs, long againNs) {
        this.cause = cause;
        this.firstSeq = firstSeq;
        this.firstPsn = firstPsn;
        this.frame = frame;
        this.originalNs = originalNs;
        this.toldNs = toldNs;
        this.againNs = againNs;
    }

    long lengthNs(long untilNs) {
        return (endNs < 0 ? untilNs : endNs) - originalNs;
    }
}
