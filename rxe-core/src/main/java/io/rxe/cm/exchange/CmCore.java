package io.rxe.cm.exchange;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.MadVerdict;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrRep;
import io.rxe.device.ManagementAgent;
import io.rxe.port.Entropy;
import io.rxe.time.DeadlineQueue;
import io.rxe.wire.Gid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Connection management of one NIC, without I/O: the input {@link #onMad}, the output {@link #poll}, the getter
 * {@link #nextDeadlineNs}, and commands.
 *
 * <p>One thread drives it: that of the engine with queue pair 1. Time is an argument and never goes back. Only {@link #poll} sends, so a
 * full sink loses no message and leaves no step half applied.
 */
public final class CmCore implements ManagementAgent {
    /** Timers served, and messages sent, in one poll at most. */
    private static final int MAX_WORK = 256;

    private final ExchangeContext context;
    private final ExchangeTable<CmExchange> table;
    private final ReplyQueue replies;
    private final ReqHandler reqHandler;
    private final ArrayDeque<CmExchange> sendQueue;
    private final MpscUnboundedAtomicArrayQueue<Runnable> commands = new MpscUnboundedAtomicArrayQueue<>(64);
    /** Whose messages left in the last poll that sent any: the sink may still hold them. */
    private final ArrayList<CmExchange> justSent = new ArrayList<>();
    private long nowNs;

    /**
     * @param config  address, times and limits.
     * @param entropy source of IDs, PSNs and source ports.
     */
    public CmCore(CmConfig config, Entropy entropy) {
        context = new ExchangeContext(config, entropy);
        table = context.table();
        replies = context.replies();
        reqHandler = new ReqHandler(context);
        sendQueue = context.sendQueue();
    }

    /** Counters; readable from any thread. */
    public CmCounters counters() {
        return context.counters();
    }

    /** Address, times and limits. Any thread. */
    public CmConfig config() {
        return context.config();
    }

    /** Exchanges now, those in time-wait included. Engine thread. */
    public int exchanges() {
        return table.size();
    }

    /**
     * Processes a MAD that queue pair 1 received, before it returns.
     *
     * @param address           of the sender.
     * @param partitionKeyIndex of the P_Key that the packet matches.
     * @param buffer            with {@link #MAD_LENGTH} bytes from offset on.
     * @param offset            of the first byte of the MAD, behind BTH and DETH.
     * @param nowNs             any origin; not less than at any call before.
     */
    @Override
    public void onMad(Gid address, int partitionKeyIndex, DirectBuffer buffer, int offset, long nowNs) {
        this.nowNs = nowNs;
        if (!address.isUnicast()) {
            context.counters().drop(CmDropReason.SOURCE_NOT_UNICAST);
            return;
        }
        MadVerdict verdict = MadHeader.check(buffer, offset, MAD_LENGTH);
        if (verdict != MadVerdict.VALID) {
            context.counters().drop(CmDropReason.of(verdict));
            return;
        }
        Origin source = new Origin(address, partitionKeyIndex);
        CmAttribute attribute = MadHeader.attribute(buffer, offset);
        context.counters().count(CmCounters.Kind.RECEIVED, attribute);
        switch (attribute) {
            case REQ -> reqHandler.onReq(buffer, offset, source, nowNs);
            case SIDR_REQ -> reqHandler.onSidrReq(buffer, offset, source, nowNs);
            case REP, RTU, MRA, DREQ, DREP, LAP, APR ->
                deliver(table.find(CommunicationIds.REMOTE.get(buffer, offset)), attribute, buffer, offset, source, nowNs);
            case REJ -> deliver(findRejected(buffer, offset, source), attribute, buffer, offset, source, nowNs);
            case SIDR_REP -> deliver(table.find(SidrRep.REQUEST_ID.get(buffer, offset)), attribute, buffer, offset, source, nowNs);
        }
    }

    /** The exchange a REJ is for. A peer that cancels its REQ before it received a message of ours knows only its own ID. */
    private CmExchange findRejected(DirectBuffer mad, int offset, Origin source) {
        int localId = CommunicationIds.REMOTE.get(mad, offset);
        if (localId != 0) {
            return table.find(localId);
        }
        CmExchange exchange = table.find(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, source.address(), CmRej.informationGuid(mad, offset),
            CommunicationIds.LOCAL.get(mad, offset)));
        boolean knowsOurId = exchange instanceof ConnectionExchange connection && connection.isEstablished();
        return knowsOurId ? null : exchange;
    }

    private void deliver(CmExchange exchange, CmAttribute attribute, DirectBuffer mad, int offset, Origin source, long nowNs) {
        if (exchange == null) {
            onUnknownId(CmDropReason.UNKNOWN_COMMUNICATION_ID, attribute, mad, offset, source, nowNs);
        } else if (!exchange.peer().equals(source.address())) {
            context.counters().drop(CmDropReason.WRONG_PEER);
        } else if (!exchange.hasIds(attribute, mad, offset)) {
            // Our ID may have belonged to an older connection of this peer.
            onUnknownId(CmDropReason.WRONG_IDS, attribute, mad, offset, source, nowNs);
        } else {
            exchange.onMad(attribute, mad, offset, nowNs);
        }
    }

    /** Replies to messages for unknown connections where the protocol has a reply (REP, DREQ), so that the peer stops retransmitting. */
    private void onUnknownId(CmDropReason reason, CmAttribute attribute, DirectBuffer mad, int offset, Origin source, long nowNs) {
        context.counters().drop(reason);
        if (attribute != CmAttribute.DREQ && attribute != CmAttribute.REP) {
            return;
        }
        UnsafeBuffer reply = replies.add(source, nowNs);
        if (reply == null) {
            return;
        }
        long transactionId = MadHeader.TRANSACTION_ID.get(mad, offset);
        int localId = CommunicationIds.REMOTE.get(mad, offset);
        int remoteId = CommunicationIds.LOCAL.get(mad, offset);
        if (attribute == CmAttribute.DREQ) {
            CmMessageWriter.drep(reply, transactionId, localId, remoteId);
        } else {
            CmMessageWriter.rej(reply, transactionId, localId, remoteId, AnsweredMessage.REP, RejectReason.INVALID_COMMUNICATION_ID);
        }
    }

    /**
     * Serves expired timers and sends due messages.
     *
     * @param nowNs not less than at any call before.
     * @param sink  copies the MADs; offered the same MAD on a later poll if it has no room.
     * @return amount of work done; 0 = none, and none will be due before an input, a command or {@link #nextDeadlineNs}.
     */
    @Override
    public int poll(long nowNs, MadSink sink) {
        this.nowNs = nowNs;
        int work = 0;
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
            work++;
        }
        for (HeldRequests.Held due = reqHandler.held().takeDue(nowNs); due != null; due = reqHandler.held().takeDue(nowNs)) {
            reqHandler.refuse(due, nowNs);
            work++;
        }
        if (!sendQueue.isEmpty()) {
            justSent.clear();
        }
        while (work < MAX_WORK) {
            DeadlineQueue.Entry due = context.deadlines().pollDue(nowNs);
            if (due == null) {
                break;
            }
            ((CmExchange) due).onTimer(nowNs);
            work++;
        }
        for (int left = Math.min(MAX_WORK, sendQueue.size()); left > 0; left--) {
            if (!sendQueue.peek().transmit(sink, nowNs)) {
                return work;
            }
            justSent.add(sendQueue.poll());
            work++;
        }
        return work + replies.poll(sink);
    }

    /** When {@link #poll} must be called even if no message arrives; {@link Long#MAX_VALUE} = never; the past = at once. */
    @Override
    public long nextDeadlineNs() {
        return !hasToSend() && commands.isEmpty() ? Math.min(context.deadlines().earliestNs(), reqHandler.held().nextDeadlineNs()) : nowNs;
    }

    /** Whether messages wait for the next poll, or for room in the sink. Engine thread. */
    public boolean hasToSend() {
        return !sendQueue.isEmpty() || !replies.isEmpty();
    }

    /** Any thread, also one of an engine, since it waits for none: has the next poll run a command. The caller must wake the engine. */
    public void later(Runnable command) {
        commands.add(command);
    }

    @Override
    public void onSendFailed(Gid destination, String why) {
        // Within a poll, or between two: the next poll does it.
        for (CmExchange exchange : justSent) {
            if (exchange.peer().equals(destination)) {
                later(() -> exchange.onSendFailed(nowNs, why));
            }
        }
    }

    /** Command: sets who learns of peers that have not replied to a request of this side; on the engine's thread, must not block. */
    public void silentPeers(Consumer<Gid> listener) {
        context.silentPeers(listener);
    }

    /**
     * Sets who decides whether a connection request is refused on purpose. Call it before the first request.
     *
     * @param reasons asked once for each request: the reason of the REJ, or 0 for none.
     */
    public void madeRefusals(IntSupplier reasons) {
        reqHandler.madeRefusals(reasons);
    }

    /** Command: no reply can come from a peer, and what waits for one ends. */
    public void onUnreachable(Gid peer, String why) {
        for (CmExchange exchange : table.all()) {
            if (exchange.peer().equals(peer)) {
                exchange.onSendFailed(nowNs, why);
            }
        }
    }

    /** Command: hands requests for a service ID to a handler; false if the service ID has a handler already. */
    public boolean listen(long serviceId, RequestHandler handler) {
        boolean added = reqHandler.handlers().putIfAbsent(serviceId, handler) == null;
        if (added) {
            reqHandler.onHandler(serviceId, nowNs);
        }
        return added;
    }

    /** Command: requests for a service ID without a handler are kept for up to a second from now on. Counts. */
    public void bind(long serviceId) {
        reqHandler.held().bind(serviceId);
    }

    /** Command: undoes one {@link #bind}. */
    public void unbind(long serviceId) {
        reqHandler.held().unbind(serviceId);
    }

    /**
     * Command: undoes {@link #listen} for the handler with this backlog. Rejects the requests the application has not received; the
     * others are the application's to answer.
     */
    public void endListening(Backlog backlog) {
        reqHandler.handlers().values().removeIf(handler -> handler.backlog() == backlog);
        for (CmExchange exchange : table.all()) {
            exchange.onListenerClosed(backlog);
        }
    }

    /** Exchanges this side began, those in time-wait included. Engine thread. */
    public int ownExchanges() {
        return context.ownExchanges();
    }

    /** Whether this side may begin one more exchange. Engine thread. */
    public boolean hasRoom() {
        return ownExchanges() < config().maxExchanges();
    }

    /** Command: begins a connection. The caller must set the observer of the exchange before this thread polls again. */
    public ActiveSide connect(ConnectRequest request) {
        return new ActiveSide(context, withSourcePort(request));
    }

    /** Command: begins to resolve a datagram service. The caller must set the observer as for {@link #connect}. */
    public SidrRequester resolve(ConnectRequest request) {
        return new SidrRequester(context, withSourcePort(request));
    }

    private ConnectRequest withSourcePort(ConnectRequest request) {
        return request.sourcePort() == 0 ? request.withSourcePort(context.drawSourcePort()) : request;
    }

    /**
     * Command: ends all listeners and exchanges. The next polls send the messages to the peers, and repeat them soon.
     *
     * @param why explanation of the events.
     */
    public void endAll(String why) {
        context.closing();
        reqHandler.handlers().clear();
        reqHandler.held().clear();
        endExchanges(why);
    }

    /** Command: ends all exchanges, as {@link #endAll}, but no listener. */
    public void endExchanges(String why) {
        for (CmExchange exchange : table.all()) {
            exchange.end(why);
        }
    }

    /** Whether messages wait to be sent, or peers have not answered the end of their connection. Engine thread. */
    public boolean isEnding() {
        return hasToSend() || table.all().stream().anyMatch(CmExchange::isEnding);
    }
}
