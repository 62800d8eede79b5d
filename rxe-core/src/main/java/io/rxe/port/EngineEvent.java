package io.rxe.port;

/** What an {@link EngineObserver} hears of: everything out of the ordinary, and nothing else. */
public enum EngineEvent {
    /** A queue pair changed its state; value: old state x 256 + new state, each as in {@code QueuePairState}. */
    STATE_CHANGE("state change"),
    /** A queue pair failed by itself, not at the application's wish; value: the state it was in. The state change follows. */
    FAILURE("failure"),
    /** A request packet was sent again; value: packets of the READ asked for again, else 1. */
    RETRANSMISSION("retransmission"),
    /** A NAK left; value: its syndrome. */
    NAK_SENT("NAK sent"),
    /** A NAK came; value: its syndrome. */
    NAK_RECEIVED("NAK received"),
    /** An RNR NAK makes the requester wait; value: nanoseconds. */
    RECEIVER_WAIT("RNR wait"),
    /** The transport timer expired; value: packets outstanding. */
    TIMEOUT("timeout"),
    /** The oldest packet is sent again well before the timer, to find out what was lost; value: packets outstanding. */
    LOSS_PROBE("loss probe"),
    /** The answer to a READ or an atomic is missing though later ones came; value: packets outstanding. */
    IMPLIED_NAK("implied NAK"),
    /** Requests move again after retries; value: nanoseconds since the first retry. */
    STALL("stall"),
    /** A packet was dropped; value: id of the {@code DropReason}. */
    DROP("drop"),
    /** A management datagram left; value: its attribute id. */
    MANAGEMENT_SENT("CM message sent"),
    /** A management datagram came; value: its attribute id. */
    MANAGEMENT_RECEIVED("CM message received");

    private final String label;

    EngineEvent(String label) {
        this.label = label;
    }

    /** Name in reports. */
    public String label() {
        return label;
    }
}
