package io.rxe.qp.responder;

import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.ReceiveQueue;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;

/**
 * End-to-end credits: advertises how many receive requests are posted, in every positive AETH, and by itself when more are posted while
 * the peer knows of few (rule R19). A shared receive queue gives no credits, because any of its queue pairs may take what was promised.
 *
 * <pre>{@code
 *   peer                                            ours, with one receive posted
 *     | SEND 1 --------------------------------------> |  takes it
 *     | <-------------------------- ACK, MSN 1 + 0     |  creditsLow: the next post rings the doorbell
 *     |   waits (rule Q15)                             |  the application posts a receive
 *     | <-------------------------- ACK, MSN 1 + 1     |  the grant
 *     | SEND 2 --------------------------------------> |
 * }</pre>
 *
 * <p>Owned by the engine thread.
 */
final class CreditGrants {
    /** With so few credits left at the peer, posted receives are worth a packet of their own. */
    private static final int LOW = 1;
    /** A peer that still has credits gets a grant when this many times as many receives are posted. */
    private static final int WORTH_A_GRANT = 4;

    private final QueuePairContext context;
    private final InboundMessage message;
    /** Number of the last message that the peer has a credit for; 24 bits, as the MSN. */
    private int limit;
    private boolean low;

    CreditGrants(QueuePairContext context, InboundMessage message) {
        this.context = context;
        this.message = message;
    }

    /** A new connection. */
    void start() {
        limit = 0;
        low(false);
    }

    /** The queue pair is reset or failed. */
    void stop() {
        low(false);
    }

    /** Returns the syndrome of a positive AETH with this MSN, which promises what is posted now. */
    int syndrome(int messageSequenceNumber) {
        ReceiveQueue queue = context.queues().receives();
        if (queue.isShared()) {
            return Syndrome.ACK_UNLIMITED;
        }
        int syndrome = Syndrome.ackWithCredits(available());
        int promised = Psn.add(messageSequenceNumber, Syndrome.credits(Syndrome.creditCode(syndrome)));
        if (Psn.subtract(promised, limit) > 0) {
            limit = promised;
        }
        low(Psn.subtract(limit, messageSequenceNumber) <= LOW);
        return syndrome;
    }

    /** Receive requests for messages not counted in the MSN: those posted, and that of the message in progress. */
    private int available() {
        return context.queues().receives().ring().size() + (message.usesReceive() ? 1 : 0);
    }

    private void low(boolean isLow) {
        if (isLow != low) {
            low = isLow;
            context.queues().receives().creditsLow(isLow);
        }
    }

    /** Whether receives were posted that the peer has to know of. */
    boolean isGrantDue(int messageSequenceNumber) {
        if (!low || message.usesReceive() || !context.state().canReceive()) {
            // The end of a message in progress is acknowledged with what is posted then.
            return false;
        }
        int left = Math.max(0, Psn.subtract(limit, messageSequenceNumber));
        int posted = context.queues().receives().ring().size();
        return left == 0 ? posted > 0 : posted >= left * WORTH_A_GRANT;
    }
}
