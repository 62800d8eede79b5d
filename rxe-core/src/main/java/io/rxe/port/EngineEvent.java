package io.rxe.port;

/** Events that an {@link EngineObserver} is notified of: state changes, losses and errors, but no packet of a run without losses. */
public enum EngineEvent {
    /** A queue pair changed its state; value: old state x 256 + new state, each as in {@code QueuePairState}. */
    STATE_CHANGE("state change"),
    /** A queue pair failed, as opposed to being moved to ERROR by the application; value: its state. A STATE_CHANGE follows. */
    FAILURE("failure"),
    /** A request packet was retransmitted; value: number of response packets a READ asks for again, else 1. */
    RETRANSMISSION("retransmission"),
    /** A NAK was sent; value: its syndrome. */
    NAK_SENT("NAK sent"),
    /** A NAK was received; value: its syndrome. */
    NAK_RECEIVED("NAK received"),
    /** The requester waits because of an RNR NAK; value: nanoseconds. */
    RNR_WAIT("RNR wait"),
    /** The transport timer expired; value: packets outstanding. */
    TIMEOUT("timeout"),
    /** A packet is retransmitted before the transport timer expires, to learn what was lost; value: packets outstanding. */
    LOSS_PROBE("loss probe"),
    /** A later response showed that the response to a READ or an atomic is missing; value: packets outstanding. */
    IMPLIED_NAK("implied NAK"),
    /** Requests make progress again after retries; value: nanoseconds since the first retry. */
    STALL("stall"),
    /** A packet was dropped; value: id of the {@code DropReason}. */
    DROP("drop"),
    /** A packet was dropped because of its P_Key; value: P_Key x 65536 + that of the queue pair, 0 for queue pair 1. A DROP follows. */
    BAD_PARTITION_KEY("bad P_Key"),
    /** A management datagram was sent; value: its attribute id. */
    MANAGEMENT_SENT("CM message sent"),
    /** A management datagram was received; value: its attribute id. */
    MANAGEMENT_RECEIVED("CM message received"),
    /** A queue pair migrated to its alternate path; value: the port it leaves from now. */
    PATH_MIGRATION("path migration");

    private final String label;

    EngineEvent(String label) {
        this.label = label;
    }

    /** Name in reports. */
    public String label() {
        return label;
    }
}
