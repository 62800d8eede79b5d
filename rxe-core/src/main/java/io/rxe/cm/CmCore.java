package io.rxe.cm;

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
import io.rxe.wire.Psn;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Connection management of one NIC, without I/O: the input {@link #onMad}, the output {@link #poll}, the getter
 * {@link #nextDeadlineNs}, and commands, which come from {@link ConnectionService} on the same thread.
 *
 * <p>One thread drives it: that of the engine with queue pair 1. Time is an argument and never goes back. Nothing is sent but by
 * {@link #poll}, so a sink without room loses no message and half-applies no step.
 */
public final class CmCore implements ManagementAgent {
    /** Timers and messages served in one poll. */
    private static final int TURNS = 256;
    private static final int FIRST_SOURCE_PORT = 32_768;
    private static final int SOURCE_PORTS = 28_232;

    private final CmConfig config;
    private final Entropy entropy;
    private final CmCounters counters = new CmCounters();
    private final DialogueTable table;
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final ArrayDeque<Dialogue> ready = new ArrayDeque<>();
    private final MpscUnboundedArrayQueue<CmConnection> reached = new MpscUnboundedArrayQueue<>(64);
    private final ReplyQueue replies;
    private final RequestIntake intake;
    private final long agent;
    private long nowNs;

    /**
     * @param config  address, times and limits.
     * @param entropy where IDs, PSNs and source ports come from; called under its lock.
     */
    public CmCore(CmConfig config, Entropy entropy) {
        this.config = config;
        this.entropy = entropy;
        this.table = new DialogueTable(config.maxDialogues(), this::draw);
        this.replies = new ReplyQueue(config.repliesPerSecond(), counters);
        this.intake = new RequestIntake(this);
        this.agent = (long) draw() << 32;
    }

    /** Counters; readable from any thread. */
    public CmCounters counters() {
        return counters;
    }

    /** Dialogues now, those in time-wait included. Engine thread. */
    public int dialogues() {
        return table.size();
    }

    CmConfig config() {
        return config;
    }

    DialogueTable table() {
        return table;
    }

    DeadlineQueue deadlines() {
        return deadlines;
    }

    ReplyQueue replies() {
        return replies;
    }

    RequestIntake intake() {
        return intake;
    }

    int draw() {
        synchronized (entropy) {
            return entropy.nextInt();
        }
    }

    int drawPsn() {
        return draw() & Psn.MASK;
    }

    int drawSourcePort() {
        return FIRST_SOURCE_PORT + Integer.remainderUnsigned(draw(), SOURCE_PORTS);
    }

    /** Transaction ID of a message that is no answer: this side, then the dialogue. */
    long newTransaction(int localId) {
        return agent | localId & 0xFFFF_FFFFL;
    }

    void ready(Dialogue dialogue) {
        ready.add(dialogue);
    }

    /**
     * Takes a MAD that came to queue pair 1, and consumes it before it returns.
     *
     * @param source address of the sender.
     * @param buffer with 256 bytes from offset.
     * @param offset of the first byte of the MAD, behind BTH and DETH.
     * @param now    nanoseconds, any origin.
     */
    @Override
    public void onMad(Gid source, DirectBuffer buffer, int offset, long now) {
        nowNs = now;
        MadVerdict verdict = MadHeader.check(buffer, offset, MAD_LENGTH);
        if (verdict != MadVerdict.VALID) {
            counters.drop(CmDropReason.of(verdict));
            return;
        }
        CmAttribute attribute = MadHeader.attribute(buffer, offset);
        counters.count(CmCounters.Kind.RECEIVED, attribute);
        switch (attribute) {
            case REQ -> intake.onRequest(buffer, offset, source, now);
            case SIDR_REQ -> intake.onServiceRequest(buffer, offset, source, now);
            case REP, RTU, MRA, REJ, DREQ, DREP -> onConnectionMessage(attribute, buffer, offset, source, now);
            case SIDR_REP -> deliver(table.find(SidrRep.requestId(buffer, offset)), attribute, buffer, offset, source, now);
            case LAP, APR -> counters.drop(CmDropReason.UNSUPPORTED_ATTRIBUTE);
        }
    }

    private void onConnectionMessage(CmAttribute attribute, DirectBuffer mad, int offset, Gid source, long now) {
        Dialogue dialogue = table.find(CommunicationIds.remote(mad, offset));
        if (dialogue == null && attribute == CmAttribute.REJ) {
            // A peer that gave up before it saw our answer knows only its own ID.
            dialogue = table.find(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, source, CmRej.informationGuid(mad, offset),
                CommunicationIds.local(mad, offset)));
        }
        if (dialogue == null || dialogue.peer().equals(source) && !isSameConnection(dialogue, mad, offset)) {
            answerStranger(attribute, mad, offset, source, now);
            return;
        }
        deliver(dialogue, attribute, mad, offset, source, now);
    }

    /** An ID of ours may have belonged to an older connection, whose peer had another ID. A REJ may leave it out. */
    private static boolean isSameConnection(Dialogue dialogue, DirectBuffer mad, int offset) {
        int sender = CommunicationIds.local(mad, offset);
        return !(dialogue instanceof ConnectionDialogue connection) || connection.remoteId() == 0 || sender == 0
            || connection.remoteId() == sender;
    }

    private void deliver(Dialogue dialogue, CmAttribute attribute, DirectBuffer mad, int offset, Gid source, long now) {
        if (dialogue == null) {
            counters.drop(CmDropReason.UNKNOWN_COMMUNICATION_ID);
        } else if (!dialogue.peer().equals(source)) {
            counters.drop(CmDropReason.WRONG_PEER);
        } else {
            dialogue.onMad(attribute, mad, offset, now);
        }
    }

    /** Who asks about a connection that does not exist is told so, as far as there is a message for it; else it would ask for long. */
    private void answerStranger(CmAttribute attribute, DirectBuffer mad, int offset, Gid source, long now) {
        counters.drop(CmDropReason.UNKNOWN_COMMUNICATION_ID);
        if (attribute != CmAttribute.DREQ && attribute != CmAttribute.REP) {
            return;
        }
        UnsafeBuffer reply = replies.add(source, now);
        if (reply == null) {
            return;
        }
        long transactionId = MadHeader.transactionId(mad, offset);
        int localId = CommunicationIds.remote(mad, offset);
        int remoteId = CommunicationIds.local(mad, offset);
        if (attribute == CmAttribute.DREQ) {
            Messages.disconnectReply(reply, transactionId, localId, remoteId);
        } else {
            Messages.rejection(reply, transactionId, localId, remoteId, AnsweredMessage.REP, RejectReason.INVALID_COMMUNICATION_ID);
        }
    }

    /** Asks the peer for patience, beside what the dialogue has to say. */
    void replyReceipt(ConnectionDialogue dialogue, long transactionId, AnsweredMessage message, long now) {
        UnsafeBuffer reply = replies.add(dialogue.peer(), now);
        if (reply != null) {
            Messages.receipt(reply, transactionId, dialogue.localId(), dialogue.remoteId(), message);
        }
    }

    /**
     * Serves timers that have come and sends what is due.
     *
     * @param now  nanoseconds, not less than at any call before.
     * @param sink takes the MADs; asked again later when it has no room.
     * @return how much was done; 0 = nothing, and nothing will be before an input, a command or {@link #nextDeadlineNs}.
     */
    @Override
    public int poll(long now, MadSink sink) {
        nowNs = now;
        int work = takeReached();
        while (work < TURNS) {
            DeadlineQueue.Entry due = deadlines.pollDue(now);
            if (due == null) {
                break;
            }
            ((Dialogue) due).onTimer(now);
            work++;
        }
        for (int turns = Math.min(TURNS, ready.size()); turns > 0; turns--) {
            if (!ready.peek().transmit(sink, now)) {
                return work;
            }
            ready.poll();
            work++;
        }
        return work + replies.poll(sink);
    }

    private int takeReached() {
        int work = 0;
        for (CmConnection connection = reached.poll(); connection != null; connection = reached.poll()) {
            connection.reached();
            work++;
        }
        return work;
    }

    /** Any engine's thread: a packet has come over the queue pair of a connection. Wake the engine afterwards. */
    void onReached(CmConnection connection) {
        reached.add(connection);
    }

    /** When {@link #poll} has to be called even if nothing comes; {@link Long#MAX_VALUE} = never; the past = at once. */
    @Override
    public long nextDeadlineNs() {
        return !hasToSend() && reached.isEmpty() ? deadlines.earliestNs() : nowNs;
    }

    /** Engine: whether messages wait for room in the sink, or for the next poll. */
    boolean hasToSend() {
        return !ready.isEmpty() || !replies.isEmpty();
    }

    /** Command. */
    void listen(Listener listener) {
        if (intake.listeners().putIfAbsent(listener.serviceId(), listener) != null) {
            throw new IllegalStateException(listener.portSpace() + " port " + listener.port()
                + " has a listener already: close it, or use another port");
        }
    }

    /** Command: requests whose event nobody has taken yet find no listener any more; the others are the application's. */
    void endListening(Listener listener) {
        intake.listeners().remove(listener.serviceId(), listener);
        for (Dialogue dialogue : table.all()) {
            if (dialogue.connection().listener() == listener && dialogue.connection().take()) {
                dialogue.detach();
                dialogue.withdraw();
            }
        }
    }

    /** Command: room for a dialogue this side begins, its events included. */
    void reserve(CmEventChannel channel) {
        if (table.isFull()) {
            throw new IllegalStateException(table.size() + " connections = maxDialogues " + config.maxDialogues()
                + ": close some, wait for the end of their time-wait, or configure more");
        }
        if (!channel.reserve()) {
            throw new IllegalStateException("the event channel has no room for another connection: take events, or make it larger");
        }
    }

    /** Command: ends everything; what has to be said to peers leaves with the next polls. */
    void endAll() {
        intake.listeners().clear();
        for (Dialogue dialogue : table.all()) {
            dialogue.disconnect();
        }
    }
}
