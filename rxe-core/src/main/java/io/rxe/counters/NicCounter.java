package io.rxe.counters;

/** Counters of an engine; the first fifteen bear the names rdma_rxe gives its hw_counters. */
public enum NicCounter {
    SENT_PKTS("sent_pkts", "packets handed to the network"),
    RCVD_PKTS("rcvd_pkts", "packets accepted for a queue pair"),
    DUPLICATE_REQUEST("duplicate_request", "requests that had been received before"),
    OUT_OF_SEQ_REQUEST("out_of_seq_request", "requests ahead of the expected PSN"),
    RCVD_RNR_ERR("rcvd_rnr_err", "RNR NAKs received"),
    SEND_RNR_ERR("send_rnr_err", "RNR NAKs sent"),
    RCVD_SEQ_ERR("rcvd_seq_err", "PSN sequence NAKs received"),
    ACK_DEFERRED("ack_deferred", "acknowledgements deferred"),
    RETRY_EXCEEDED_ERR("retry_exceeded_err", "requests that failed because the retry counter ran out"),
    RETRY_RNR_EXCEEDED_ERR("retry_rnr_exceeded_err", "requests that failed because the RNR retry counter ran out"),
    COMPLETER_RETRY_ERR("completer_retry_err", "retries begun by the completer"),
    SEND_ERR("send_err", "packets the network refused"),
    LINK_DOWNED("link_downed", "times the port went down"),
    RDMA_SENDS("rdma_sends", "SEND messages completed as requester"),
    RDMA_RECVS("rdma_recvs", "SEND messages delivered as responder"),
    SENT_BYTES("sent_bytes", "bytes of those packets, from BTH to ICRC"),
    RCVD_BYTES("rcvd_bytes", "bytes of those packets, from BTH to ICRC"),
    RETRANSMITTED_PKTS("retransmitted_pkts", "request packets sent again"),
    SEND_SEQ_ERR("send_seq_err", "PSN sequence NAKs sent"),
    IMPLIED_NAK("implied_nak", "retries because a later response overtook a READ or atomic"),
    ACK_TIMEOUT("ack_timeout", "times the transport timer expired"),
    LOSS_PROBE("loss_probe", "packets sent again well before the transport timer, to find out what was lost"),
    ICRC_FULL("icrc_full", "packets whose ICRC was verified to its full strength"),
    ICRC_INFERRED("icrc_inferred", "packets whose ICRC was verified up to an IP identification that broke the sequence"),
    REORDER_BUFFERED("reorder_buffered", "requests kept until the gap before them closed"),
    REORDER_HIGH_WATER("reorder_high_water", "most requests kept at once");

    private final String label;
    private final String sentence;

    NicCounter(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    public String label() {
        return label;
    }

    /** What is counted. */
    public String sentence() {
        return sentence;
    }
}
