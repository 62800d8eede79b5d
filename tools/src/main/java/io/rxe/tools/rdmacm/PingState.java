package io.rxe.tools.rdmacm;

/** The states of rping, with the numbers it prints. */
enum PingState {
    IDLE(1),
    CONNECT_REQUEST(2),
    CONNECTED(5),
    RDMA_READ_ADV(6),
    RDMA_READ_COMPLETE(7),
    RDMA_WRITE_ADV(8),
    RDMA_WRITE_COMPLETE(9),
    DISCONNECTED(10),
    ERROR(11);

    private final int code;

    PingState(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** rping's line for a wait that ended in another state. */
    String waitEndedBy(PingState actual) {
        return "wait for " + this + " state " + actual.code;
    }
}
