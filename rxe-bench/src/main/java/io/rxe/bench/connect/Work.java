package io.rxe.bench.connect;

/** What is measured. The verbs copy no message: they send from the memory of the application. */
enum Work {
    MESSAGE_64("message", 64),
    MESSAGE_4K("message", 4096),
    MESSAGE_64K("message", 65_536),
    COPIED_64("message, copied", 64),
    COPIED_4K("message, copied", 4096),
    COPIED_64K("message, copied", 65_536),
    ROUND_TRIP("message and answer", 64),
    READ_64("READ", 64),
    READ_64K("READ", 65_536),
    WRITE_64("WRITE", 64),
    WRITE_64K("WRITE", 65_536),
    FETCH_ADD("FETCH_AND_ADD", 8);

    /** Requests in flight, but for the round trip. */
    static final int DEPTH = 64;
    private static final int MAX_SHORT = 64;
    /** Longest message. */
    static final int MAX_BYTES = 65_536;

    private final String label;
    private final int bytes;

    Work(String label, int bytes) {
        this.label = label;
        this.bytes = bytes;
    }

    String label() {
        return label;
    }

    int bytes() {
        return bytes;
    }

    /**
     * Receives of each side, with the verbs too. A side of io.rxe.connect that only receives sends a message with credits for each half of
     * them, so that it takes many where they are short.
     */
    int receives() {
        return bytes <= MAX_SHORT ? 8 * DEPTH : 2 * DEPTH;
    }

    boolean isMessage() {
        return ordinal() <= ROUND_TRIP.ordinal();
    }
}
