package io.rxe.cm.mad;

/** Reason codes of a REJ (IBTA chapter 12), each with its meaning and a remedy. */
public enum RejectReason {
    NO_QUEUE_PAIR(1, "no queue pair available", "the peer has too many queue pairs: close some"),
    NO_END_TO_END_CONTEXT(2, "no end-to-end context available", "use an RC or UC queue pair"),
    NO_RESOURCES(3, "no resources", "the peer has too many connections or requests waiting: close some, or try later"),
    TIMEOUT(4, "timeout", "the peer gave up waiting: look for lost packets and a busy peer"),
    UNSUPPORTED_REQUEST(5, "unsupported request", "check what the peer supports"),
    INVALID_COMMUNICATION_ID(6, "invalid communication ID", "the peer has forgotten this connection: connect again"),
    INVALID_COMMUNICATION_INSTANCE(7, "invalid communication instance", "connect again"),
    INVALID_SERVICE_ID(8, "invalid service ID", "start the server or check the port"),
    INVALID_TRANSPORT_TYPE(9, "invalid transport service type", "use a queue pair of the type the peer expects"),
    STALE_CONNECTION(10, "stale connection",
        "the peer still had a connection with a queue pair of this number, as after a restart or with a fixed seed: connect again"),
    NO_RELIABLE_DATAGRAM_CHANNEL(11, "reliable datagram channel does not exist", "use an RC or UC queue pair"),
    PRIMARY_REMOTE_GID(12, "primary remote port GID rejected", "check the peer's address, and that it is in the partition of the request"),
    PRIMARY_REMOTE_LID(13, "primary remote port LID rejected", "check the peer's address"),
    PRIMARY_SERVICE_LEVEL(14, "invalid primary service level", "use service level 0"),
    PRIMARY_TRAFFIC_CLASS(15, "invalid primary traffic class", "use traffic class 0"),
    PRIMARY_HOP_LIMIT(16, "invalid primary hop limit", "use hop limit 64"),
    PRIMARY_PACKET_RATE(17, "invalid primary packet rate", "use another rate"),
    ALTERNATE_REMOTE_GID(18, "alternate remote port GID rejected", "use no alternate path"),
    ALTERNATE_REMOTE_LID(19, "alternate remote port LID rejected", "use no alternate path"),
    ALTERNATE_SERVICE_LEVEL(20, "invalid alternate service level", "use no alternate path"),
    ALTERNATE_TRAFFIC_CLASS(21, "invalid alternate traffic class", "use no alternate path"),
    ALTERNATE_HOP_LIMIT(22, "invalid alternate hop limit", "use no alternate path"),
    ALTERNATE_PACKET_RATE(23, "invalid alternate packet rate", "use no alternate path"),
    PORT_AND_CM_REDIRECTION(24, "port and CM redirection", "connect to the address the peer names"),
    PORT_REDIRECTION(25, "port redirection", "connect to the address the peer names"),
    INVALID_PATH_MTU(26, "invalid path MTU", "give the interfaces at both ends the same MTU, or ask for a smaller path MTU"),
    INSUFFICIENT_RESPONDER_RESOURCES(27, "insufficient responder resources", "ask for fewer outstanding READs and atomics"),
    CONSUMER(28, "consumer reject", "the peer's application refused: its private data may say why"),
    RNR_RETRY_COUNT(29, "RNR retry count reject", "use another RNR retry count"),
    DUPLICATE_COMMUNICATION_ID(30, "duplicate local communication ID", "connect again"),
    INVALID_CLASS_VERSION(31, "invalid class version", "the peer speaks another version of connection management"),
    PRIMARY_FLOW_LABEL(32, "invalid primary flow label", "use flow label 0"),
    ALTERNATE_FLOW_LABEL(33, "invalid alternate flow label", "use no alternate path"),
    /** Stands for every code the specification does not define. */
    UNKNOWN(0, "a reason this side does not know", "look at the peer's log");

    private static final RejectReason[] BY_CODE = values();

    private final int code;
    private final String sentence;
    private final String remedy;

    RejectReason(int code, String sentence, String remedy) {
        this.code = code;
        this.sentence = sentence;
        this.remedy = remedy;
    }

    /** The code on the wire, 16 bits. */
    public int code() {
        return code;
    }

    /** Meaning, in words of the specification. */
    public String sentence() {
        return sentence;
    }

    /** What to check or change. */
    public String remedy() {
        return remedy;
    }

    /** The reason with a code; {@link #UNKNOWN} if the specification does not define it. */
    public static RejectReason of(int code) {
        return code >= 1 && code <= 33 ? BY_CODE[code - 1] : UNKNOWN;
    }
}
