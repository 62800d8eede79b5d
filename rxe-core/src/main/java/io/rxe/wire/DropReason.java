package io.rxe.wire;

/**
 * Why a packet was dropped: one name and one counter for every reason. Drops are silent on the wire.
 *
 * <p>Ids are stable, because counter files and tools refer to them: new reasons get new ids, old ones are never reused.
 */
public enum DropReason {
    /** Not dropped. */
    NONE(0, "none", "The packet is good."),

    DATAGRAM_TOO_SHORT(1, "datagram_too_short", "The datagram is shorter than a BTH and an ICRC, 16 bytes."),
    DATAGRAM_TOO_LONG(2, "datagram_too_long", "The datagram is longer than the longest packet with a payload of 4096 bytes, 4136 bytes."),
    LENGTH_NOT_MULTIPLE_OF_FOUR(3, "length_not_multiple_of_four", "The length is not a multiple of four: padding is missing."),
    UNKNOWN_OPCODE(4, "unknown_opcode", "The opcode is not defined."),
    UNSUPPORTED_TRANSPORT_VERSION(6, "unsupported_transport_version", "The transport header version is not 0."),
    HEADERS_TRUNCATED(7, "headers_truncated", "The datagram is too short for the extension headers of the opcode."),
    BAD_PADDING(8, "bad_padding", "The pad count is larger than the bytes that follow the headers."),
    RESERVED_QUEUE_PAIR(9, "reserved_queue_pair", "The destination is queue pair 0, which does not exist in RoCE."),

    UNKNOWN_QUEUE_PAIR(20, "unknown_queue_pair", "No queue pair has the destination number."),
    WRONG_TRANSPORT(21, "wrong_transport", "The transport of the opcode is not that of the queue pair."),
    QUEUE_PAIR_NOT_READY(22, "queue_pair_not_ready", "The queue pair is not in a state that receives this kind of packet."),
    WRONG_PARTITION_KEY(23, "wrong_partition_key", "The partition key does not match that of the queue pair, or none of the table."),
    WRONG_QUEUE_KEY(24, "wrong_queue_key", "The queue key is not that of the UD queue pair."),
    WRONG_SOURCE_ADDRESS(25, "wrong_source_address",
        "The source address is not that of the connected peer, or of a datagram, no unicast address."),
    WRONG_DESTINATION_ADDRESS(26, "wrong_destination_address", "The destination address is not that of this NIC."),
    BAD_ICRC(27, "bad_icrc", "The invariant CRC is wrong: the packet was corrupted in the network."),
    QUEUE_PAIR_ERROR_STATE(28, "queue_pair_error_state", "The queue pair is in the error state, which drops all packets."),
    // 29 was not_addressed, which no packet was ever counted under.

    GHOST_RESPONSE(40, "ghost_response", "A response arrived for a PSN that was never sent."),
    DUPLICATE_RESPONSE(41, "duplicate_response", "A response arrived for a PSN that was already acknowledged."),
    PSN_GAP(42, "psn_gap", "A request arrived behind a gap; a NAK asked the peer to retransmit from the missing PSN."),
    PSN_OUT_OF_WINDOW(43, "psn_out_of_window", "The PSN is neither in the window of new requests nor in that of duplicates."),
    DUPLICATE_READ_MISMATCH(44, "duplicate_read_mismatch", "A duplicate READ asks for bytes outside the original READ."),
    DUPLICATE_ATOMIC_UNKNOWN(45, "duplicate_atomic_unknown", "The result of a duplicate atomic is no longer stored."),
    RNR_HOLD(46, "rnr_hold", "A request arrived behind one that was answered with an RNR NAK."),
    REORDER_BUFFER_FULL(47, "reorder_buffer_full", "A request arrived out of order and the reorder buffer was full."),
    RESERVED_SYNDROME(48, "reserved_syndrome", "The syndrome of an acknowledgement is not defined."),
    REPLAY_QUEUE_FULL(49, "replay_queue_full", "A duplicate READ arrived while too many others were being answered."),
    NETWORK_COPY(50, "network_copy", "A READ request arrived twice while its response was being sent or had just been sent."),
    MESSAGE_INCOMPLETE(51, "message_incomplete", "A packet arrived of an unreliable message that lost another packet."),
    NO_RECEIVE_REQUEST(52, "no_receive_request", "An unreliable message arrived and no receive request was posted."),
    REFUSED_MESSAGE(53, "refused_message", "An unreliable message was malformed, or its key, range or access right was wrong."),
    RECEIVE_TOO_SHORT(54, "receive_too_short", "A datagram was longer than the receive request, which serves the next one."),
    CONFLICTING_REQUEST(55, "conflicting_request", "Two different requests claimed one PSN behind a gap: all kept requests were dropped."),
    REORDER_EXPIRED(56, "reorder_expired", "A request was kept behind a gap that did not move for a second."),
    KEPT_REQUEST_DOUBTED(57, "kept_request_doubted",
        "A request kept behind a gap was malformed or had no right: it is refused when the peer sends it again in order."),
    CONFLICTING_DUPLICATE(58, "conflicting_duplicate",
        "Two different requests claimed one PSN and the first was executed from behind a gap: the queue pair failed."),
    WRONG_XRC_SIDE(59, "wrong_xrc_side", "A request arrived at an XRC_SEND queue pair, or a response at an XRC_RECV queue pair."),
    REPEATED_READ(60, "repeated_read", "A READ request that its peer sends several times, in case one is lost, arrived again.");

    private final int id;
    private final String label;
    private final String sentence;

    DropReason(int id, String label, String sentence) {
        this.id = id;
        this.label = label;
        this.sentence = sentence;
    }

    /** {@return stable number, 0 to 63} */
    public int id() {
        return id;
    }

    /** {@return the counter's name, in snake case} */
    public String label() {
        return label;
    }

    /** {@return one sentence that describes the reason} */
    public String sentence() {
        return sentence;
    }
}
