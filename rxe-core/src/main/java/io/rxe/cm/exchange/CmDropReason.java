package io.rxe.cm.exchange;

import io.rxe.cm.mad.MadVerdict;

/** Why a MAD was dropped, or a reply not sent. */
public enum CmDropReason {
    SOURCE_NOT_UNICAST("source_not_unicast", "MADs from a group, broadcast or unspecified address, to which no reply may go"),
    BAD_LENGTH("bad_length", "MADs that were not 256 bytes long"),
    BAD_BASE_VERSION("bad_base_version", "MADs of another base version"),
    WRONG_CLASS("wrong_class", "MADs of another management class"),
    BAD_CLASS_VERSION("bad_class_version", "MADs of another version of connection management"),
    WRONG_METHOD("wrong_method", "MADs with another method than Send"),
    UNKNOWN_ATTRIBUTE("unknown_attribute", "MADs with an attribute connection management does not have"),
    MALFORMED("malformed", "messages with an invalid field"),
    UNKNOWN_COMMUNICATION_ID("unknown_communication_id", "messages for a connection that does not exist"),
    WRONG_IDS("wrong_ids", "messages for a connection with another communication ID of the peer, or another transaction ID"),
    WRONG_PEER("wrong_peer", "messages for a connection with another peer"),
    WRONG_QUEUE_PAIR("wrong_queue_pair", "disconnect requests and alternate paths that named another queue pair"),
    UNEXPECTED("unexpected", "messages that do not fit the state of their connection, most often late duplicates"),
    REQUEST_RATE("request_rate", "requests not given to a listener because too many were not confirmed; peers retransmit theirs"),
    REPLY_RATE("reply_rate", "replies not sent because of the limit per second"),
    REPLY_QUEUE_FULL("reply_queue_full", "replies not sent because too many waited for room in the sink");

    private final String label;
    private final String sentence;

    CmDropReason(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    /** Name of the counter. */
    public String label() {
        return label;
    }

    /** What is counted. */
    public String sentence() {
        return sentence;
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
