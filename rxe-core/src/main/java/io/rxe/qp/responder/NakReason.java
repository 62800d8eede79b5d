package io.rxe.qp.responder;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import io.rxe.wire.XrcEth;

/** Why a request is refused: the NAK, the status of the receive request in use, and the event (rules R9 to R12). */
enum NakReason {
    /** Malformed, out of order, or not allowed on this queue pair. */
    INVALID_REQUEST(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** An atomic operation whose address is not a multiple of 8, or whose memory is not aligned although its address is. */
    MISALIGNED(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** More READs and atomics outstanding than max_dest_rd_atomic. */
    TOO_MANY_READS(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** Longer than the receive request. */
    RECEIVE_TOO_SHORT(Syndrome.INVALID_REQUEST, CompletionStatus.LOC_LEN_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** The XRCETH names no shared receive queue of the queue pair's XRC domain. */
    INVALID_XRC_ETH(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** A key, a range or a right is wrong. */
    REMOTE_ACCESS(Syndrome.REMOTE_ACCESS_ERROR, CompletionStatus.LOC_ACCESS_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** The receive request names memory that cannot be used. */
    RECEIVE_UNUSABLE(Syndrome.REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOC_PROT_ERR, AsyncEvent.Type.QP_FATAL),
    /** The registered memory that the request names faulted. */
    MEMORY_FAULT(Syndrome.REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOC_PROT_ERR, AsyncEvent.Type.QP_ACCESS_ERR);

    /** The remedy for memory that faults. */
    static final String KEEP_MEMORY = "keep registered memory mapped and accessible, and do not truncate a file it maps";

    private final int syndrome;
    private final CompletionStatus status;
    private final AsyncEvent.Type event;

    NakReason(int syndrome, CompletionStatus status, AsyncEvent.Type event) {
        this.syndrome = syndrome;
        this.status = status;
        this.event = event;
    }

    /** The syndrome that a receive request which fails with a status is reported with. */
    static int syndromeOf(CompletionStatus status) {
        for (NakReason reason : values()) {
            if (reason.status == status) {
                return reason.syndrome;
            }
        }
        return Syndrome.REMOTE_OPERATIONAL_ERROR;
    }

    /** Whether the request is wrong, not memory of this side. */
    boolean isOfRequest() {
        return syndrome != Syndrome.REMOTE_OPERATIONAL_ERROR;
    }

    /** Syndrome of the NAK. */
    int syndrome() {
        return syndrome;
    }

    /** Completion status of the receive request in use. */
    CompletionStatus status() {
        return status;
    }

    /** Event that is raised when none is in use. */
    AsyncEvent.Type event() {
        return event;
    }

    /** Names a request, for {@link #explain}. */
    static String describe(InboundPacket packet, QueuePairContext context) {
        Opcode opcode = packet.opcode();
        String queue = !opcode.hasXrcEth() ? "" : " for shared receive queue 0x"
            + Integer.toHexString(XrcEth.queueNumber(packet.buffer(), packet.at(opcode.xrcEthOffset())));
        return opcode + " with PSN 0x" + Psn.toString(packet.psn()) + " and " + packet.payloadLength() + " bytes from "
            + context.peer() + queue;
    }

    /**
     * Explains the refusal.
     *
     * @param what         the request in words.
     * @param places       max_dest_rd_atomic.
     * @param receiveBytes length of the receive request in use.
     */
    String explain(String what, int places, long receiveBytes) {
        return switch (this) {
            case INVALID_REQUEST -> what + " is malformed, out of order or not allowed by this queue pair's access flags";
            case MISALIGNED -> what + " is atomic, and its memory is not aligned: atomic operations need addresses that are multiples of 8";
            case TOO_MANY_READS -> what + " exceeds the READs and atomics that max_dest_rd_atomic allows: " + places;
            case RECEIVE_TOO_SHORT -> what + " does not fit the receive request of " + receiveBytes + " bytes: post longer ones";
            case INVALID_XRC_ETH -> what + ", which is not of this queue pair's XRC domain, was closed, or is not that of the message's"
                + " first packet";
            case REMOTE_ACCESS -> what + " uses a key, a range or a right that was not granted";
            case RECEIVE_UNUSABLE -> what + " arrived for a receive request whose memory cannot be used: register it with"
                + " LOCAL_WRITE; " + KEEP_MEMORY;
            case MEMORY_FAULT -> what + " names memory that faulted: " + KEEP_MEMORY;
        };
    }
}
