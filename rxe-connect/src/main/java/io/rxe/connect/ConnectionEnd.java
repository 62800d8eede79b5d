package io.rxe.connect;

import io.rxe.cm.CmEvent;
import io.rxe.net.RxeNic;
import io.rxe.verbs.QueuePair;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Why a connection ended.
 *
 * @param reason      the kind.
 * @param explanation a sentence with the peer, what was tried and what to check; empty if this side closed the connection.
 * @param cause       what a callback of this side threw, or null.
 */
public record ConnectionEnd(Reason reason, String explanation, Throwable cause) {
    /** Kinds of ends. */
    public enum Reason {
        /** This side closed the connection, its server or client, its queue pair or its NIC. */
        CLOSED_HERE,
        /** The peer closed the connection, or its process exited in order. */
        CLOSED_BY_PEER,
        /** The peer, or the set-up callback of this side, rejected the request. */
        REJECTED,
        /** No answer to the request, or no way to the peer. */
        UNREACHABLE,
        /** A request failed: the peer was killed or the path died and retries ran out, a remote key was wrong, or a callback threw. */
        FAILED
    }

    private static final int MAX_REJECT_BYTES = 148;
    /** The two highest bits of a byte in UTF-8 that is not the first of its character. */
    private static final int CONTINUATION = 0x80;
    private static final int CONTINUATION_MASK = 0xC0;

    /** Checks that there is a reason. */
    public ConnectionEnd {
        Objects.requireNonNull(reason, "the reason is null: give one of ConnectionEnd.Reason");
        Objects.requireNonNull(explanation, "the explanation is null: give a sentence, or an empty string");
    }

    ConnectionEnd(Reason reason, String explanation) {
        this(reason, explanation, null);
    }

    /** Something on this side threw. What has no words of its own, because asking for them throws too, keeps those it has here. */
    static ConnectionEnd threw(String what, Throwable thrown) {
        String explanation;
        try {
            explanation = what + " " + thrown;
        } catch (Throwable e) {
            explanation = what;
        }
        return new ConnectionEnd(Reason.FAILED, explanation, thrown);
    }

    /** The reason of a rejection for the peer; what exceeds the private data of a REJ is cut off. */
    static byte[] reasonBytes(String why) {
        byte[] bytes = why.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MAX_REJECT_BYTES) {
            return bytes;
        }
        int length = MAX_REJECT_BYTES;
        while ((bytes[length] & CONTINUATION_MASK) == CONTINUATION) {
            // The first byte left out is not the first of its character.
            length--;
        }
        return Arrays.copyOf(bytes, length);
    }

    /** The peer rejected the request; its private data is a sentence for people. */
    static ConnectionEnd rejected(CmEvent event) {
        byte[] data = event.privateData();
        int length = 0;
        while (length < data.length && data[length] != 0) {
            length++;
        }
        return new ConnectionEnd(Reason.REJECTED, length == 0 ? event.explanation() : event.explanation() + "; the peer says: "
            + new String(data, 0, length, StandardCharsets.UTF_8));
    }

    /** The connection was established, and is not any more. */
    static ConnectionEnd disconnected(CmEvent event, RxeNic nic, Endpoint endpoint) {
        return new ConnectionEnd(nic.isClosed() ? Reason.CLOSED_HERE : event.connection().queuePairEnd() != null
            ? isOpen(endpoint.queuePair) ? Reason.FAILED : Reason.CLOSED_HERE
            : event.status() == 0 ? Reason.CLOSED_BY_PEER : Reason.FAILED, event.explanation());
    }

    /** Whether the application has not closed it. */
    private static boolean isOpen(QueuePair pair) {
        try {
            pair.query();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return explanation.isEmpty() ? reason.name() : reason + ": " + explanation;
    }
}
