package io.rxe.cm.mad;

/** Status codes of an APR (IBTA chapter 12), each with its meaning. */
public enum AlternatePathStatus {
    LOADED("loaded"),
    INVALID_COMMUNICATION_ID("the peer does not know the connection"),
    UNSUPPORTED("the peer cannot migrate"),
    REJECTED("the peer refuses the path"),
    REDIRECTED("the peer wants another path"),
    CURRENT("the path is in use already"),
    INVALID_QUEUE_PAIR("the peer's queue pair has another number"),
    INVALID_LID("the peer does not have the LID"),
    INVALID_GID("the peer has no port with the GID"),
    INVALID_FLOW_LABEL("the peer refuses the flow label"),
    INVALID_TRAFFIC_CLASS("the peer refuses the traffic class"),
    INVALID_HOP_LIMIT("the peer refuses the hop limit"),
    INVALID_PACKET_RATE("the peer refuses the packet rate"),
    INVALID_SERVICE_LEVEL("the peer refuses the service level"),
    /** Stands for every code the specification does not define. */
    UNKNOWN("the peer gave a status this side does not know");

    private static final AlternatePathStatus[] BY_CODE = values();

    private final String sentence;

    AlternatePathStatus(String sentence) {
        this.sentence = sentence;
    }

    /** The code on the wire, 8 bits. */
    public int code() {
        return ordinal();
    }

    public String sentence() {
        return sentence;
    }

    /** The status with a code; {@link #UNKNOWN} if the specification does not define it. */
    public static AlternatePathStatus of(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? BY_CODE[code] : UNKNOWN;
    }
}
