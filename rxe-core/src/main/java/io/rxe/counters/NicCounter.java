package io.rxe.counters;

import java.util.Locale;

/**
 * Counters of an engine and of each queue pair. The first fifteen have the names of rdma_rxe's hw_counters, so that both sides of a
 * connection can be compared name by name; all fifteen are listed even where this NIC has nothing to count.
 */
public enum NicCounter {
    SENT_PKTS, // packets handed to the network
    RCVD_PKTS, // packets accepted for a queue pair
    DUPLICATE_REQUEST, // requests received more than once
    OUT_OF_SEQ_REQUEST, // requests ahead of the expected PSN
    RCVD_RNR_ERR, // RNR NAKs received
    SEND_RNR_ERR, // RNR NAKs sent
    RCVD_SEQ_ERR, // PSN sequence NAKs received
    ACK_DEFERRED, // acknowledgements deferred
    RETRY_EXCEEDED_ERR, // requests that failed because the retry counter ran out
    RETRY_RNR_EXCEEDED_ERR, // requests that failed because the RNR retry counter ran out
    COMPLETER_RETRY_ERR, // retries started by the completer
    /** Always 0: the engine hands packets to a socket, which counts sends the kernel refused by cause (io.rxe.net.port.NetCounter). */
    SEND_ERR, // packets the network refused; always 0, see dropped_frames
    /** Counted by {@link EngineCounters#countPortDown}, of the first engine. */
    LINK_DOWNED, // times a port went down, as its interface did
    RDMA_SENDS, // SEND messages completed as requester
    RDMA_RECVS, // SEND messages delivered as responder
    SENT_BYTES, // bytes of the packets sent, from BTH to ICRC
    RCVD_BYTES, // bytes of the packets accepted, from BTH to ICRC
    RETRANSMITTED_PKTS, // request packets retransmitted
    SEND_SEQ_ERR, // PSN sequence NAKs sent
    IMPLIED_NAK, // retries because a later response showed that a READ or atomic response is missing
    ACK_TIMEOUT, // expirations of the transport timer
    LOSS_PROBE, // packets retransmitted before the transport timer expires, to learn what was lost
    ICRC_FULL, // packets whose ICRC was verified in full
    ICRC_INFERRED, // packets whose ICRC was verified to 16 bits only: the IP identification was out of sequence
    REORDER_BUFFERED, // requests kept until the gap before them closed
    REORDER_HIGH_WATER, // most requests kept at once
    SENT_CREDIT_GRANTS, // acknowledgements sent because receives were posted while the peer was short of credits
    RCVD_CREDIT_GRANTS, // acknowledgements that only brought credits
    CREDIT_WAITS, // times the send queue waited because the peer had no receive request left
    SENT_KEEP_ALIVES, // duplicates sent to ask an idle peer whether it is still there
    RCVD_KEEP_ALIVES, // answers of idle peers that were asked
    WINDOWS_BOUND, // memory windows bound, or unbound by a binding of length 0
    REGIONS_REGISTERED, // memory regions registered by REG_MR
    KEYS_INVALIDATED, // keys invalidated, by LOCAL_INV or by the peer
    PATH_MIGRATIONS, // migrations of queue pairs to their alternate path
    PATH_MIGRATION_ERRORS, // migrations of peers to a path that is not the alternate one
    SENT_GAP_REPORTS, // acknowledgements sent that tell all gaps
    RCVD_GAP_REPORTS, // acknowledgements received that tell all gaps
    BAD_GAP_REPORTS, // gap reports ignored: malformed, of another version, or from a peer that never set the mark
    NP_ECN_MARKED_ROCE_PACKETS, // packets accepted that a router had marked (CE); named as adapters do, like the next three
    NP_CNP_SENT, // congestion notifications sent
    RP_CNP_HANDLED, // congestion notifications received and obeyed
    RP_CNP_IGNORED; // congestion notifications received without effect: a second one in a round trip, or ECN is off here

    /** Name in reports and counter files: lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
