package io.rxe.qp;

import io.rxe.qp.completer.Completer;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.responder.Responder;
import io.rxe.qp.send.KeepAlive;
import io.rxe.qp.send.PeerShares;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.SendCredits;
import io.rxe.qp.send.SendSide;
import io.rxe.time.DeadlineQueue;

/**
 * The table of a queue pair's timers: which run, and when each expires. Asks the owner of each timer, so that a deadline is kept in one
 * place only. See {@link QueuePairTimer} for what they mean.
 *
 * <p>Owned by the engine thread. Times are those of the clock that drives the engine.
 */
final class QueuePairTimers {
    private static final QueuePairTimer[] ALL = QueuePairTimer.values();

    private final QueuePairContext context;
    private final RetryState retry;
    private final KeepAlive keepAlive;
    private final SendCredits credits;
    private final Completer completer;
    private final Responder responder;
    private PeerShares shares;

    QueuePairTimers(QueuePairContext context, SendSide side, Completer completer, Responder responder) {
        this.context = context;
        this.retry = side.retry();
        this.keepAlive = side.keepAlive();
        this.credits = side.credits();
        this.completer = completer;
        this.responder = responder;
    }

    /** The queue pair's part of the peer send window. */
    void shares(PeerShares ofPeer) {
        shares = ofPeer;
    }

    /** When a timer expires, or {@link DeadlineQueue#NONE} when it does not run. */
    long deadlineNs(QueuePairTimer timer) {
        return switch (timer) {
            case ACK_TIMEOUT -> ifSending(retry.ackDeadlineNs());
            case PROBE -> ifSending(completer.probeDeadlineNs());
            case REORDER_WINDOW -> ifSending(completer.reorderDeadlineNs());
            case RNR_WAIT -> ifSending(retry.rnrDeadlineNs());
            case CREDIT_WAIT -> ifSending(credits.deadlineNs());
            case PEER_SEND_WINDOW -> shares == null ? DeadlineQueue.NONE : shares.deadlineNs();
            case KEEP_ALIVE -> ifSending(keepAlive.deadlineNs());
            case NAK_DELAY -> context.state().canReceive() ? responder.nakDelayDeadlineNs() : DeadlineQueue.NONE;
            case KEPT_REQUESTS -> context.state().canReceive() ? responder.keptDeadlineNs() : DeadlineQueue.NONE;
            case NAK_RATE -> responder.nakRateDeadlineNs();
            case RESPONSE_PACE -> responder.responsePaceDeadlineNs();
        };
    }

    private long ifSending(long deadlineNs) {
        return context.state().canSend() ? deadlineNs : DeadlineQueue.NONE;
    }

    /** When the first of them expires, or {@link DeadlineQueue#NONE} when none runs. Called after every timeslice, so without a loop. */
    long nextDeadlineNs() {
        long nextNs = Math.min(deadlineNs(QueuePairTimer.PEER_SEND_WINDOW), responder.nakRateDeadlineNs());
        nextNs = Math.min(nextNs, responder.responsePaceDeadlineNs());
        if (context.state().canSend()) {
            nextNs = Math.min(nextNs, Math.min(retry.ackDeadlineNs(), retry.rnrDeadlineNs()));
            nextNs = Math.min(nextNs, Math.min(completer.probeDeadlineNs(), completer.reorderDeadlineNs()));
            nextNs = Math.min(nextNs, Math.min(credits.deadlineNs(), keepAlive.deadlineNs()));
        }
        if (context.state().canReceive()) {
            nextNs = Math.min(nextNs, Math.min(responder.nakDelayDeadlineNs(), responder.keptDeadlineNs()));
        }
        assert nextNs == firstOf(ALL) : "a timer is missing here: " + this;
        return nextNs;
    }

    private long firstOf(QueuePairTimer... timers) {
        long nextNs = DeadlineQueue.NONE;
        for (QueuePairTimer timer : timers) {
            nextNs = Math.min(nextNs, deadlineNs(timer));
        }
        return nextNs;
    }

    /** The timers that run, each with the time it expires: "ACK_TIMEOUT 1067108864 ns, RNR_WAIT 1000640000 ns". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (QueuePairTimer timer : ALL) {
            long deadlineNs = deadlineNs(timer);
            if (deadlineNs != DeadlineQueue.NONE) {
                text.append(text.length() == 0 ? "" : ", ").append(timer).append(' ').append(deadlineNs).append(" ns");
            }
        }
        return text.length() == 0 ? "no timer runs" : text.toString();
    }
}
