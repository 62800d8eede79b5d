package io.rxe.cm;

/**
 * Something that happened to a connection, in the words of rdma_cm.
 *
 * @param type        what happened.
 * @param connection  which connection; for CONNECT_REQUEST a new one, to be accepted, rejected or closed.
 * @param listener    the listener a CONNECT_REQUEST came to, else null.
 * @param status      0, or what the kernel's tools print: the reason code of a REJ with REJECTED, the status of a SIDR_REP or
 *                    {@link #TIMED_OUT} with UNREACHABLE.
 * @param privateData what the peer's application sent along: the whole area of the message, unused bytes zero; empty where the message
 *                    has none.
 * @param explanation with an error: the peer, what was tried, how long, and what to check; else empty.
 */
public record CmEvent(Type type, CmConnection connection, Listener listener, int status, byte[] privateData, String explanation) {
    /** Status when no answer came: ETIMEDOUT, negative as the kernel has it. */
    public static final int TIMED_OUT = -110;
    /** Status when this side could not set up its queue pair: EINVAL, negative as the kernel has it. */
    public static final int INVALID = -22;

    /** Kinds of events; names of {@code rdma_cm_event_type}. */
    public enum Type {
        /** A peer asks for a connection, or for the queue pair of a datagram service. */
        CONNECT_REQUEST,
        /** The peer accepted, and the application drives its queue pair itself: it must call {@link CmConnection#establish}. */
        CONNECT_RESPONSE,
        /** The peer accepted, but this side's queue pair could not be set up. The connection is over. */
        CONNECT_ERROR,
        /** No answer in time, or no such datagram service. The connection is over. */
        UNREACHABLE,
        /** The peer refused. The connection is over. */
        REJECTED,
        /** Data may flow; for a datagram service: queue pair and key of the peer are known. */
        ESTABLISHED,
        /** One side ended the connection. */
        DISCONNECTED,
        /** No late packet of the connection can come any more: its queue pair may be used again. */
        TIMEWAIT_EXIT;

        /** The name rdma_cm prints. */
        public String rdmaName() {
            return "RDMA_CM_EVENT_" + name();
        }
    }
}
