package io.rxe.cm;

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
 * An exchange of messages with one peer, from its first message to its last timer: what the state machines have in common.
 *
 * <p>It keeps the one message it has to say now, in full. Whether that is sent for the first time, again because nothing came back, or
 * again because the peer asked twice, it is the same bytes.
 */
abstract class Dialogue extends DeadlineQueue.Entry {
    private final CmCore core;
    private final CmConnection connection;
    private final int localId;
    private final Gid peer;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
    private final List<PeerKey> keys = new ArrayList<>(2);
    private int eventPlaces = CmEventChannel.EVENTS_OF_A_DIALOGUE;
    private boolean sendDue;
    private boolean queued;
    private boolean detached;
    private boolean removed;

    /** The connection's channel must have room reserved. */
    Dialogue(CmCore core, CmConnection connection, Gid peer) {
        this.core = core;
        this.connection = connection;
        this.peer = peer;
        this.localId = core.table().drawId();
        core.table().add(this);
    }

    /** A message that names this dialogue and comes from its peer. */
    abstract void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs);

    /** The request that began this dialogue came once more. Only dialogues a peer began hear of it. */
    void onDuplicateRequest(long nowNs) {
        drop(CmDropReason.UNEXPECTED);
    }

    /** The deadline has come. */
    abstract void onTimer(long nowNs);

    /** The message has left. */
    abstract void onSent(long nowNs);

    /** Application: ends it. Says so in an event, unless {@link #detach} came before. */
    abstract void disconnect();

    /** The listener was closed before the application saw this request. Only requests of peers hear of it. */
    void withdraw() {
        throw new AssertionError("not a request");
    }

    final CmCore core() {
        return core;
    }

    final CmConfig config() {
        return core.config();
    }

    final CmConnection connection() {
        return connection;
    }

    final int localId() {
        return localId;
    }

    final Gid peer() {
        return peer;
    }

    final UnsafeBuffer message() {
        return message;
    }

    /** Lets the message leave at the next poll. */
    final void send() {
        sendDue = true;
        if (!queued) {
            queued = true;
            core.ready(this);
        }
    }

    /** Sends the message once more because the peer repeated itself, unless that happens too often. */
    final void sendAgainForDuplicate(long nowNs) {
        if (!sendDue && core.replies().isAllowed(nowNs)) {
            send();
        }
    }

    /** Sends the message once more because nothing came back. */
    final void repeat() {
        core.counters().count(CmCounters.Kind.RETRIED, MadHeader.attribute(message, 0));
        send();
    }

    /** Offers the message to queue pair 1; false = no room. */
    final boolean transmit(ManagementAgent.MadSink sink, long nowNs) {
        if (sendDue && !removed) {
            if (!sink.send(peer, message, 0)) {
                return false;
            }
            core.counters().count(CmCounters.Kind.SENT, MadHeader.attribute(message, 0));
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
            core.deadlines().set(this, deadlineNs);
        }
    }

    final void noDeadline() {
        core.deadlines().remove(this);
    }

    /** Makes it findable by a name of the peer's. */
    final void bind(PeerKey key) {
        keys.add(key);
        core.table().bind(key, this);
    }

    final void unbind(PeerKey.Kind kind) {
        keys.removeIf(key -> {
            if (key.kind() == kind) {
                core.table().unbind(key, this);
                return true;
            }
            return false;
        });
    }

    /** The end: no message finds it any more. */
    final void remove() {
        if (removed) {
            return;
        }
        removed = true;
        core.deadlines().remove(this);
        keys.forEach(key -> core.table().unbind(key, this));
        keys.clear();
        core.table().remove(this);
        connection.channel().release(eventPlaces);
    }

    final boolean isRemoved() {
        return removed;
    }

    /** Nobody wants to hear of it any more. */
    final void detach() {
        detached = true;
    }

    final void raise(CmEvent.Type type, int status, byte[] privateData, String explanation) {
        if (!detached) {
            assert eventPlaces > 0 : type + " is one event too many";
            eventPlaces--;
            Listener listener = type == CmEvent.Type.CONNECT_REQUEST ? connection.listener() : null;
            connection.channel().add(new CmEvent(type, connection, listener, status, privateData, explanation));
        }
    }

    final void raise(CmEvent.Type type) {
        raise(type, 0, new byte[0], "");
    }

    final void drop(CmDropReason reason) {
        core.counters().drop(reason);
    }

    final void duplicate(CmAttribute attribute) {
        core.counters().count(CmCounters.Kind.DUPLICATE, attribute);
    }
}
