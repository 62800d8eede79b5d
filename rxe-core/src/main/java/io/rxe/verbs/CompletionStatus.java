package io.rxe.verbs;

/** The result of a work request; names and numbers of {@code ibv_wc_status}. This NIC does not use all of them. */
public enum CompletionStatus {
    SUCCESS(0, "success"),
    LOC_LEN_ERR(1, "local length error: a message was longer than its receive request, or the memory of an atomic is not 8 bytes"),
    LOC_QP_OP_ERR(2, "local QP operation error: the request could not be carried out on this queue pair"),
    LOC_EEC_OP_ERR(3, "local end-to-end context operation error"),
    LOC_PROT_ERR(4, "local protection error: a local key, range or access right was wrong"),
    WR_FLUSH_ERR(5, "flushed: the queue pair went to ERROR before this request completed"),
    MW_BIND_ERR(6, "memory window bind error"),
    BAD_RESP_ERR(7, "bad response: the peer's response does not match the request"),
    LOC_ACCESS_ERR(8, "local access error"),
    REM_INV_REQ_ERR(9, "remote invalid request: the peer found the request malformed or not allowed on its queue pair"),
    REM_ACCESS_ERR(10, "remote access error: the remote key, range or access right was wrong"),
    REM_OP_ERR(11, "remote operation error: the peer could not complete the request, its receive request was unusable"),
    RETRY_EXC_ERR(12, "transport retry counter exceeded: the peer did not answer"),
    RNR_RETRY_EXC_ERR(13, "RNR retry counter exceeded: the peer kept having no receive request posted"),
    LOC_RDD_VIOL_ERR(14, "local reliable datagram domain violation"),
    REM_INV_RD_REQ_ERR(15, "remote invalid reliable datagram request"),
    REM_ABORT_ERR(16, "remote abort"),
    INV_EECN_ERR(17, "invalid end-to-end context number"),
    INV_EEC_STATE_ERR(18, "invalid end-to-end context state"),
    FATAL_ERR(19, "fatal transport error"),
    RESP_TIMEOUT_ERR(20, "response timeout"),
    GENERAL_ERR(21, "general error"),
    TM_ERR(22, "tag matching error"),
    TM_RNDV_INCOMPLETE(23, "tag matching rendezvous incomplete");

    private final int code;
    private final String sentence;

    CompletionStatus(int code, String sentence) {
        this.code = code;
        this.sentence = sentence;
    }

    /** The number of {@code ibv_wc_status}. */
    public int code() {
        return code;
    }

    /** The meaning, as a phrase for reports. */
    public String sentence() {
        return sentence;
    }
}
