package io.rxe.cm.exchange;

import io.rxe.cm.mad.MadVerdict;
import java.util.Locale;

/** Why a MAD was dropped, or a reply not sent. */
public enum CmDropReason {
    SOURCE_NOT_UNICAST, // MADs from a group, broadcast or unspecified address, to which no reply may go
    BAD_LENGTH, // MADs that were not 256 bytes long
    BAD_BASE_VERSION, // MADs of another base version
    WRONG_CLASS, // MADs of another management class
    BAD_CLASS_VERSION, // MADs of another version of connection management
    WRONG_METHOD, // MADs with another method than Send
    UNKNOWN_ATTRIBUTE, // MADs with an attribute connection management does not have
    MALFORMED, // messages with an invalid field
    UNKNOWN_COMMUNICATION_ID, // messages for a connection that does not exist
    WRONG_IDS, // messages for a connection with another communication ID of the peer, or another transaction ID
    WRONG_PEER, // messages for a connection with another peer
    WRONG_QUEUE_PAIR, // disconnect requests and alternate paths that named another queue pair
    UNEXPECTED, // messages that do not fit the state of their connection, most often late duplicates
    REQUEST_RATE, // requests not given to a listener because too many were not confirmed; peers retransmit theirs
    REPLY_RATE, // replies not sent because of the limit per second
    REPLY_QUEUE_FULL; // replies not sent because too many waited for room in the sink

    /** Name of the counter. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static CmDropReason of(MadVerdict verdict) {
        return switch (verdict) {
            case BAD_LENGTH -> BAD_LENGTH;
            case BAD_BASE_VERSION -> BAD_BASE_VERSION;
            case WRONG_CLASS -> WRONG_CLASS;
            case BAD_CLASS_VERSION -> BAD_CLASS_VERSION;
            case WRONG_METHOD -> WRONG_METHOD;
            case UNKNOWN_ATTRIBUTE -> UNKNOWN_ATTRIBUTE;
            case VALID -> throw new IllegalArgumentException("a valid MAD is not dropped");
        };
    }
}
