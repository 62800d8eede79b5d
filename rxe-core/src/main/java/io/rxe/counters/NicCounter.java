package io.rxe.counters;

/**
 * Counters of an engine and of each queue pair. The first fifteen have the names of rdma_rxe's hw_counters, so that both sides of a
 * connection can be compared name by name; all fifteen are listed even where this NIC has nothing to count.
 */
public enum NicCounter {
    SENT_PKTS("sent_pkts", "packets handed to the network"),
    RCVD_PKTS("rcvd_pkts", "packets accepted for a queue pair"),
    DUPLICATE_REQUEST("duplicate_request", "requests received more than once"),
    OUT_OF_SEQ_REQUEST("out_of_seq_request", "requests ahead of the expected PSN"),
    RCVD_RNR_ERR("rcvd_rnr_err", "RNR NAKs received"),
    SEND_RNR_ERR("send_rnr_err", "RNR NAKs sent"),
    RCVD_SEQ_ERR("rcvd_seq_err", "PSN sequence NAKs received"),
    ACK_DEFERRED("ack_deferred", "acknowledgements deferred"),
    RETRY_EXCEEDED_ERR("retry_exceeded_err", "requests that failed because the retry counter ran out"),
    RETRY_RNR_EXCEEDED_ERR("retry_rnr_exceeded_err", "requests that failed because the RNR retry counter ran out"),
    COMPLETER_RETRY_ERR("completer_retry_err", "retries started by the completer"),
    /** Always 0: the engine hands packets to a socket, which counts sends the kernel refused by cause (io.rxe.net.port.NetCounter). */
    SEND_ERR("send_err", "packets the network refused; always 0, see dropped_frames"),
    /** Always 0: no event from the operating system reports the state of the port to a UDP socket. */
    LINK_DOWNED("link_downed", "times the port went down; always 0, sockets do not report it"),
    RDMA_SENDS("rdma_sends", "SEND messages completed as requester"),
    RDMA_RECVS("rdma_recvs", "SEND messages delivered as responder"),
    SENT_BYTES("sent_bytes", "bytes of the packets sent, from BTH to ICRC"),
    RCVD_BYTES("rcvd_bytes", "bytes of the packets accepted, from BTH to ICRC"),
    RETRANSMITTED_PKTS("retransmitted_pkts", "request packets retransmitted"),
    SEND_SEQ_ERR("send_seq_err", "PSN sequence NAKs sent"),
    IMPLIED_NAK("implied_nak", "retries because a later response showed that a READ or atomic response is missing"),
    ACK_TIMEOUT("ack_timeout", "expirations of the transport timer"),
    LOSS_PROBE("loss_probe", "packets retransmitted before the transport timer expires, to learn what was lost"),
    ICRC_FULL("icrc_full", "packets whose ICRC was verified in full"),
    ICRC_INFERRED("icrc_inferred", "packets whose ICRC was verified to 16 bits only: the IP identification was out of sequence"),
    REORDER_BUFFERED("reorder_buffered", "requests kept until the gap before them closed"),
    REORDER_HIGH_WATER("reorder_high_water", "most requests kept at once"),
    SENT_CREDIT_GRANTS("sent_credit_grants", "acknowledgements sent because receives were posted while the peer was short of credits"),
    RCVD_CREDIT_GRANTS("rcvd_credit_grants", "acknowledgements that only brought credits"),
    CREDIT_WAITS("credit_waits", "times the send queue waited because the peer had no receive request left"),
    SENT_KEEP_ALIVES("sent_keep_alives", "duplicates sent to ask an idle peer whether it is still there"),
    RCVD_KEEP_ALIVES("rcvd_keep_alives", "answers of idle peers that were asked"),
    WINDOWS_BOUND("windows_bound", "memory windows bound, or unbound by a binding of length 0"),
    REGIONS_REGISTERED("regions_registered", "memory regions registered by REG_MR"),
    KEYS_INVALIDATED("keys_invalidated", "keys invalidated, by LOCAL_INV or by the peer"),
    PATH_MIGRATIONS("path_migrations", "migrations of queue pairs to their alternate path"),
    PATH_MIGRATION_ERRORS("path_migration_errors", "migrations of peers to a path that is not the alternate one");

    private final String label;
    private final String sentence;

    NicCounter(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    /** Name in reports and counter files: lower case with underscores. */
    public String label() {
        return label;
    }

    /** What is counted, as a noun phrase for reports. */
    public String sentence() {
        return sentence;
    }
}
