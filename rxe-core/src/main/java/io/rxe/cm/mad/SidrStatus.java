package io.rxe.cm.mad;

/** Status codes of a SIDR_REP (IBTA chapter 12), each with its meaning and a remedy. */
public enum SidrStatus {
    VALID("found", ""),
    UNSUPPORTED("nothing serves this service ID", "start the server or check the port"),
    REJECTED("the peer's application refused", "its private data may say why"),
    NO_QUEUE_PAIR("the peer has no queue pair for it", "start the server again"),
    REDIRECTED("the service is elsewhere", "connect to the address the peer names"),
    UNSUPPORTED_VERSION("the peer speaks another version of connection management", "update the older side"),
    /** Stands for every code the specification does not define. */
    UNKNOWN("the peer gave a status this side does not know", "look at the peer's log");

    private static final SidrStatus[] BY_CODE = values();

    private final String sentence;
    private final String remedy;

    SidrStatus(String sentence, String remedy) {
        this.sentence = sentence;
        this.remedy = remedy;
    }

    /** The code on the wire, 8 bits. */
    public int code() {
        return ordinal();
    }

    public String sentence() {
        return sentence;
    }

    /** What to check or change. */
    public String remedy() {
        return remedy;
    }

    /** The status with a code; {@link #UNKNOWN} if the specification does not define it. */
    public static SidrStatus of(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? BY_CODE[code] : UNKNOWN;
    }
}
