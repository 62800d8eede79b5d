package io.rxe.qp;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.PacketSink;
import io.rxe.qp.completer.Completer;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.requester.Requester;
import io.rxe.qp.responder.Responder;
import io.rxe.qp.send.KeepAlive;
import io.rxe.qp.send.PeerShares;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.RttEstimator;
import io.rxe.qp.send.SendCredits;
import io.rxe.qp.send.SendSide;
import io.rxe.qp.send.SendWindow;
import io.rxe.verbs.CongestionOptions;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.SendTime;
import org.agrona.DirectBuffer;

/** The three tasks of an RC queue pair, as in rxe: requester (TX), responder (RX) and completer (ACK). {@link QueuePairTimers} wakes it. */
sealed class RcQueuePair extends QueuePairTasks permits XrcQueuePair {
    /** Some thousand packets of responses. */
    private static final int MAX_WAITS = 16;

    private final SendWindow window;
    private final RttEstimator rtt;
    private final RetryState retry;
    private final KeepAlive keepAlive;
    private final SendCredits credits;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private final NotificationPoint notifications;
    private final PathReport path;
    private final QueuePairTimers timers;
    private PeerShares shares;
    private boolean responsesWait;
    /** Polls in a row in which requests waited for responses. */
    private int waits;

    RcQueuePair(QueuePairContext context, QueuePairHost host) {
        super(context, host);
        SendSide side = SendSide.of(send(), host.hostDelay());
        this.window = side.window();
        this.rtt = side.rtt();
        this.retry = side.retry();
        this.keepAlive = side.keepAlive();
        this.credits = side.credits();
        this.requester = new Requester(context, host.gracePeriods(), side);
        this.completer = new Completer(context, side);
        this.responder = new Responder(context, host.frames(), host.hostDelay(), work -> host.offload(this, work));
        this.notifications = new NotificationPoint(context, host.ports().ecn());
        this.path = new PathReport(context.counters(), window, rtt);
        this.timers = new QueuePairTimers(context, side, completer, responder);
        context.path().onMigrated(this::onMigrated);
    }

    @Override
    void startReceiving() {
        context().markable(host().ports().ecn().reactionPoint());
        responder.start(context().attributes().receivePsn(), context().attributes().maxDestRdAtomic());
    }

    @Override
    void startSending() {
        rtt.start();
        credits.start();
        joinPeerSendWindow();
        retry.configure(context().attributes());
        retry.stopAckTimer();
        retry.endRnrWait();
        keepAlive.configure(context().attributes());
        requester.start();
        completer.start();
    }

    private void joinPeerSendWindow() {
        leavePeerSendWindow();
        CongestionOptions congestion = context().congestion() == null ? host().ports().congestion() : context().congestion();
        shares = host().peers().join(context().flow(), congestion, context().mtu(), () -> host().schedule(this));
        window.start(shares, host().ports().pathBytes(), context().mtu());
        timers.shares(shares);
    }

    private void onMigrated() {
        responder.onNewPath();
        if (context().state().canSend()) {
            startPath();
        }
        host().schedule(this);
    }

    /** The new path has a receive buffer, a round trip and a timeout of its own. */
    private void startPath() {
        joinPeerSendWindow();
        completer.onNewPath();
        rtt.start();
        configureTimers();
    }

    private void configureTimers() {
        retry.configure(context().attributes());
        keepAlive.configure(context().attributes());
    }

    private void leavePeerSendWindow() {
        if (shares != null) {
            shares.leave();
            shares = null;
            window.stop();
            timers.shares(null);
        }
    }

    @Override
    void startDraining() {
        requester.startDraining();
    }

    @Override
    void changeWhileDrained(boolean isNewPath) {
        if (isNewPath) {
            responder.onNewPath();
            startPath();
        } else {
            configureTimers();
        }
    }

    @Override
    void changeKeepAlive() {
        keepAlive.configure(context().attributes());
        host().schedule(this);
    }

    @Override
    void abandonReads() {
        responder.abandonReads();
    }

    @Override
    void stop() {
        notifications.stop();
        responder.stop();
        stopSending();
    }

    /** To RESET or ERROR. */
    private void stopSending() {
        keepAlive.stop();
        retry.stopAckTimer();
        retry.endRnrWait();
        leavePeerSendWindow();
    }

    @Override
    public void onPacket(InboundPacket packet, long nowNs) {
        if (context().path().isWatching()) {
            context().path().onPacket(packet, isRecent(packet));
        }
        if (packet.opcode().isRequest()) {
            takeSendTime(packet, nowNs);
            responder.onRequest(packet, nowNs);
        } else {
            completer.onResponse(packet, nowNs);
        }
    }

    /** Rule G10. A forged request does not have the PSN that is expected. */
    private void takeSendTime(InboundPacket request, long nowNs) {
        DirectBuffer buffer = request.buffer();
        int offset = request.offset();
        boolean isTold = Bth.isTimed(buffer, offset) && Bth.isMarked(buffer, offset);
        if (isTold && request.psn() == responder.expectedPsn() && shares != null) {
            shares.arrivalWait().onArrived(SendTime.ns(Bth.sendTime(buffer, offset)), host().hostDelay().unseenNs(), nowNs);
        }
        if (request.opcode().isReadRequest()) {
            responder.readWaitedNs(shares == null ? 0 : shares.arrivalWait().latestNs(nowNs));
        }
    }

    /** Whether the peer may have sent it just now, by its PSN: what comes next, what is outstanding, or what was the last before. */
    private boolean isRecent(InboundPacket packet) {
        if (packet.opcode().isRequest()) {
            int ahead = Psn.subtract(packet.psn(), responder.expectedPsn());
            return ahead == 0 || ahead == -1;
        }
        int ahead = Psn.subtract(packet.psn(), (int) send().ackedSeq() & Psn.MASK);
        return ahead >= -1 && ahead < send().nextSeq() - send().ackedSeq();
    }

    /** How fast READ responses leave is for the requester to say where its peer obeys (rule G9): there is nobody to notify. */
    @Override
    public void onMarked(Opcode opcode, long nowNs) {
        super.onMarked(opcode, nowNs);
        path.onMarked();
        if (send().reportsGaps() && opcode.isReadResponse() && host().ports().ecn().reactionPoint()) {
            if (notifications.mayObey(nowNs)) {
                window.onNotified(true, nowNs);
            }
        } else {
            notifications.onMarked(responder.knowsReports() || send().reportsGaps(), opcode.hasPayload(), nowNs);
        }
    }

    /** Where no packet may be marked, a CNP is forged or a mistake. */
    @Override
    public void onNotified(long nowNs) {
        path.onNotified(host().ports().ecn().reactionPoint() && window.onNotified(false, nowNs));
    }

    /**
     * Requests leave before responses, so that an acknowledgement ends their batch instead of splitting it; unless the application asked
     * for the other order: then requests wait until every response that may leave has left, but no longer than {@value #MAX_WAITS}
     * polls, so that a peer that always has another READ cannot starve them. Responses that found the sink full leave first in the next
     * poll, so that requests cannot starve them.
     */
    @Override
    int pollTasks(long nowNs, PacketSink sink) {
        int work = notifications.isDue() ? pollNotifications(nowNs, sink) : 0;
        work += responsesWait || context().isAcknowledgeFirst() ? responder.poll(nowNs, sink) : 0;
        if (completer.poll(nowNs)) {
            work++;
        }
        waits = context().isAcknowledgeFirst() && responder.hasPending() && waits < MAX_WAITS ? waits + 1 : 0;
        if (shares != null) {
            path.poll(nowNs);
            work += waits > 0 ? waitWithRequests(nowNs) : pollRequester(nowNs, sink);
        }
        if (nowNs >= keepAlive.deadlineNs()) {
            work += pollKeepAlive(nowNs, sink);
        }
        work += responder.poll(nowNs, sink);
        responsesWait = responder.hasPending();
        return work;
    }

    private int pollNotifications(long nowNs, PacketSink sink) {
        if (!notifications.poll(sink, nowNs)) {
            return 0;
        }
        path.onNotificationSent();
        return 1;
    }

    private int waitWithRequests(long nowNs) {
        // Other queue pairs to this peer must not wait for what this one does not use.
        boolean granted = settle(nowNs);
        granted |= shares.returnGrant();
        return granted ? 1 : 0;
    }

    private int pollRequester(long nowNs, PacketSink sink) {
        boolean granted = settle(nowNs);
        int work = requester.poll(nowNs, sink);
        if (completer.poll(nowNs)) {
            work++;
            granted |= settle(nowNs);
        }
        if (!requester.isUnfinished()) {
            granted |= shares.returnGrant();
        }
        return granted ? work + 1 : work;
    }

    /** Rule T11. A full sink changes nothing: the deadline has passed, so the engine polls again. */
    private int pollKeepAlive(long nowNs, PacketSink sink) {
        if (!context().state().canSend()) {
            keepAlive.stop();
            return 0;
        }
        long progress = send().ackedSeq() + responder.expectedPsn();
        if (!keepAlive.isDue(send().mayAsk(), progress, nowNs)) {
            return 1;
        }
        if (keepAlive.isExhausted()) {
            completer.failUnanswered(keepAlive.sent(), keepAlive.askingForNs(nowNs));
            return 1;
        }
        if (!requester.sendKeepAlive(sink)) {
            return 0;
        }
        keepAlive.onSent(progress, nowNs);
        return 1;
    }

    /** Tells what is in flight: neither acknowledged nor to be retransmitted. Returns whether a queue pair got a grant. */
    private boolean settle(long nowNs) {
        boolean isSending = context().state().canSend() && !retry.isInRnrWait();
        long responses = isSending ? send().readsInFlight() : 0;
        return shares.settle(isSending ? send().inFlight() - responses : 0, responses, nowNs);
    }

    @Override
    void showTasks(QueuePairCounters counters) {
        counters.show(QueuePairCell.EXPECTED_PSN, responder.expectedPsn());
        counters.show(QueuePairCell.REORDER_HELD, responder.bufferedRequests());
        counters.show(QueuePairCell.RETRIES_LEFT, retry.retriesLeft());
        counters.show(QueuePairCell.RNR_RETRIES_LEFT, retry.rnrRetriesLeft());
        path.show();
    }

    @Override
    void flushTasks() {
        responder.flush();
        stopSending();
    }

    @Override
    public boolean isUnfinished() {
        return notifications.isDue() || responder.hasPending() || waits > 0 || shares != null && requester.isUnfinished();
    }

    @Override
    public long nextDeadlineNs() {
        return timers.nextDeadlineNs();
    }

    /** Which timers run, and when each expires. */
    @Override
    public String timers() {
        return timers.toString();
    }
}
