package io.rxe.cm;

import io.rxe.cm.exchange.ExchangeObserver;

/**
 * An event of a connection; {@code struct rdma_cm_event}.
 *
 * @param type        what happened.
 * @param connection  the connection; for CONNECT_REQUEST a new one, to be accepted, rejected or closed.
 * @param listener    the listener that received a CONNECT_REQUEST, else null.
 * @param status      0, or as in {@code rdma_cm_event.status}: with REJECTED the reason code of the REJ, with UNREACHABLE the status of
 *                    the SIDR_REP, {@link #TIMED_OUT} or {@link #NOT_SENT}, with DISCONNECTED 0, one of these two or
 *                    {@link #ABORTED}, with CONNECT_ERROR {@link #INVALID}.
 * @param privateData from the application of the peer: the whole area of the message, padded with zeros; empty if the event has no
 *                    message with such an area.
 * @param explanation of an error or end: what happened, and for an error the peer, what was tried, for how long, and what to check; empty
 *                    if there was no error, also when this side's application disconnected.
 */
public record CmEvent(Type type, CmConnection connection, Listener listener, int status, byte[] privateData, String explanation) {
    /** Status if no reply arrived: {@code -ETIMEDOUT}. */
    public static final int TIMED_OUT = ExchangeObserver.TIMED_OUT;
    /** Status if this host cannot send to the peer, for example for want of a route: {@code -ENETUNREACH}. */
    public static final int NOT_SENT = ExchangeObserver.NOT_SENT;
    /** Status if this side's queue pair or NIC ended, and the connection with it: {@code -ECONNABORTED}. */
    public static final int ABORTED = ExchangeObserver.ABORTED;
    /** Status if this side could not set up its queue pair: {@code -EINVAL}. */
    public static final int INVALID = -22;

    /** Kinds of events, with the names of {@code rdma_cm_event_type}. */
    public enum Type {
        /** A peer requests a connection, or resolves a datagram service. */
        CONNECT_REQUEST,
        /** The peer accepted, and the application modifies its queue pair itself: it must call {@link CmConnection#establish}. */
        CONNECT_RESPONSE,
        /** The peer accepted, but this side's queue pair could not be set up. The connection has ended. */
        CONNECT_ERROR,
        /** No reply in time, or the peer refused to resolve the datagram service. The connection has ended. */
        UNREACHABLE,
        /** The peer rejected the request, or cancelled its own. The connection has ended. */
        REJECTED,
        /** Data may flow; for a datagram service, queue pair number and Q_Key of the peer are known. */
        ESTABLISHED,
        /** The connection ended: one side ended it, closed its queue pair or NIC, or a queue pair failed. The explanation says which. */
        DISCONNECTED,
        /**
         * An alternate path is loaded and REARM, on both sides; see {@link CmConnection#loadAlternatePath}. With another status than 0 it
         * is not, and the connection goes on without: the status of the APR, {@link #TIMED_OUT} or {@link #INVALID}. rdma_cm has no such
         * event.
         */
        ALTERNATE_PATH,
        /** No late packet of the connection can arrive any more: its queue pair may be reused. */
        TIMEWAIT_EXIT;

        /** The name rdma_cm prints. */
        public String rdmaName() {
            return "RDMA_CM_EVENT_" + name();
        }
    }

    @Override
    public String toString() {
        return type + " of " + connection + (listener == null ? "" : ", from the " + listener) + ", status " + status + ", "
            + privateData.length + " bytes of private data" + (explanation.isEmpty() ? "" : ": " + explanation);
    }
}
