package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.MadHeader;
import io.rxe.device.ManagementAgent;
import io.rxe.time.DeadlineQueue;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One connection or one SIDR request, from its first message to its last timer: what the state machines have in common.
 *
 * <p>An exchange keeps the one message it has to send now, in full. A retransmission after a timeout and a reply to a duplicate are the
 * same bytes as the first transmission.
 *
 * <p>Engine thread, but for {@link #localId} and {@link #peer}.
 */
public abstract sealed class CmExchange extends DeadlineQueue.Entry permits ConnectionExchange, SidrRequester, SidrResponder {
    private final ExchangeContext context;
    private final int localId;
    private final Gid peer;
    private final int partitionKeyIndex;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
    private final List<PeerKey> keys = new ArrayList<>(2);
    private ExchangeObserver observer;
    private boolean sendDue;
    private boolean queued;
    private boolean removed;

    /** @param partitionKeyIndex of the P_Key that its messages carry. */
    CmExchange(ExchangeContext context, Gid peer, int partitionKeyIndex) {
        this.context = context;
        this.peer = peer;
        this.partitionKeyIndex = partitionKeyIndex;
        this.localId = context.table().drawId();
        context.table().add(localId, this);
    }

    /** Sets the receiver of the events; once, before the exchange receives a message or a timer runs. */
    public final void observe(ExchangeObserver newObserver) {
        observer = newObserver;
    }

    /** Our communication ID; for a SIDR request the request ID. Never 0. */
    public final int localId() {
        return localId;
    }

    public final Gid peer() {
        return peer;
    }

    /** Where its messages go. */
    final Origin origin() {
        return new Origin(peer, partitionKeyIndex);
    }

    /**
     * Command: ends the exchange in any state, with the message its state requires, and reports DISCONNECTED if it had not ended.
     *
     * @param why explanation of the event. With one, the event comes at once. Empty if the application of this side ends a connection:
     *            then it comes with the answer of the peer.
     */
    public abstract void end(String why);

    /**
     * Command: fails what waits for the first reply of the peer, as if this had come; no other effect. For faults made on purpose.
     *
     * @param isRejected whether as by a REJ, and not as by no reply.
     * @param status     of the event, as in {@link ExchangeObserver}.
     */
    public void failAs(boolean isRejected, int status, String why) {
        // A request of the peer is rejected before there is an exchange.
    }

    /** Whether a message of its end waits for the answer of the peer. */
    boolean isEnding() {
        return false;
    }

    /** The last message could not be sent, because of this host and not of the peer. A retransmission may be possible. */
    void onSendFailed(long nowNs, String why) {
        // Retransmitted by its timer, if it has one.
    }

    /**
     * Whether a message that names this exchange and comes from the address of its peer also has the peer's communication ID and the
     * transaction ID it must have. An attacker who sees none of our packets has to guess all of them.
     */
    abstract boolean hasIds(CmAttribute attribute, DirectBuffer mad, int offset);

    /** A message arrived that names this exchange, has the right IDs and comes from its peer. */
    abstract void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs);

    /** The request that began this exchange arrived again. */
    void onDuplicateRequest(long nowNs) {
        drop(CmDropReason.UNEXPECTED);
    }

    /** The deadline has passed. */
    abstract void onTimer(long nowNs);

    /** The message was handed to queue pair 1. */
    abstract void onSent(long nowNs);

    /** A peer began this exchange, and {@link PeerAdmission} needs its room: ends it. */
    void onEvicted(long nowNs) {
        throw new AssertionError("an exchange this side began is not evicted");
    }

    /** The exchange is being removed. */
    void onRemoved() {
        // An exchange this side began is bounded by the table.
    }

    /** A listener was closed. A request of that listener the application has not received is rejected. */
    void onListenerClosed(Backlog closed) {
        // An exchange this side began has no listener.
    }

    final ExchangeContext context() {
        return context;
    }

    final CmConfig config() {
        return context.config();
    }

    final ExchangeObserver observer() {
        return observer;
    }

    final UnsafeBuffer message() {
        return message;
    }

    /** Makes the message due; the next poll sends it. */
    final void send() {
        sendDue = true;
        if (!queued) {
            queued = true;
            context.sendQueue().add(this);
        }
    }

    /** Whether the message waits for the next poll. */
    final boolean isSendDue() {
        return sendDue;
    }

    /** Retransmits the message because the peer retransmitted its own, within the rate limit of replies. */
    final void retransmitForDuplicate(long nowNs) {
        if (!sendDue && context.replies().isAllowed(nowNs)) {
            send();
        }
    }

    /** Retransmits the message because no reply arrived. */
    final void retransmit() {
        context.counters().count(CmCounters.Kind.RETRIED, MadHeader.attribute(message, 0));
        send();
    }

    /** Offers the message to queue pair 1; false = no room. */
    final boolean transmit(ManagementAgent.MadSink sink, long nowNs) {
        if (sendDue && !removed) {
            if (!sink.send(peer, partitionKeyIndex, message, 0)) {
                return false;
            }
            context.counters().count(CmCounters.Kind.SENT, MadHeader.attribute(message, 0));
            sendDue = false;
            queued = false;
            onSent(nowNs);
        } else {
            queued = false;
        }
        return true;
    }

    final void deadline(long deadlineNs) {
        if (!removed) {
            context.deadlines().set(this, deadlineNs);
        }
    }

    final void noDeadline() {
        context.deadlines().remove(this);
    }

    /** Makes this exchange findable by a name the peer uses. */
    final void bind(PeerKey key) {
        keys.add(key);
        context.table().bind(key, this);
    }

    final void unbind(PeerKey.Kind kind) {
        keys.removeIf(key -> {
            if (key.kind() == kind) {
                context.table().unbind(key, this);
                return true;
            }
            return false;
        });
    }

    /** Ends the exchange: no message and no timer reaches it any more. */
    final void remove() {
        if (removed) {
            return;
        }
        removed = true;
        context.deadlines().remove(this);
        keys.forEach(key -> context.table().unbind(key, this));
        keys.clear();
        context.table().remove(localId);
        onRemoved();
        observer.onRemoved();
    }

    /** Whether it has ended; a command may still reach it. */
    final boolean isRemoved() {
        return removed;
    }

    final void drop(CmDropReason reason) {
        context.counters().drop(reason);
    }

    final void countDuplicate(CmAttribute attribute) {
        context.counters().count(CmCounters.Kind.DUPLICATE, attribute);
    }
}
