package io.rxe.fault;

/**
 * The event with which a call of connection management fails, in the place of what would follow.
 *
 * @param event  what the program gets.
 * @param status of the event: a reason of a REJ for REJECTED, else a negative error number.
 * @param why    the sentence of the event.
 */
public record ConnectionFault(Event event, int status, String why) {
    /** Events of {@code rdma_cm_event_type} that are failures. The others follow without a fault. */
    public enum Event {
        /** Of {@code rdma_resolve_addr}. */
        ADDR_ERROR(Verb.RDMA_RESOLVE_ADDR, 1, VerbError.ENODEV),
        /** Of {@code rdma_resolve_route}. */
        ROUTE_ERROR(Verb.RDMA_RESOLVE_ROUTE, 3, VerbError.ETIMEDOUT),
        /** Of {@code rdma_connect}: this side's queue pair cannot be set up, and the peer gets a REJ. */
        CONNECT_ERROR(Verb.RDMA_CONNECT, 6, VerbError.EINVAL),
        /** Of {@code rdma_connect}: as if no reply had come. */
        UNREACHABLE(Verb.RDMA_CONNECT, 7, VerbError.ETIMEDOUT),
        /** Of {@code rdma_connect}: as if the peer had sent a REJ. */
        REJECTED(Verb.RDMA_CONNECT, 8, null),
        /** Of {@code rdma_join_multicast}. */
        MULTICAST_ERROR(Verb.RDMA_JOIN_MULTICAST, 13, VerbError.ENOMEM);

        private final Verb verb;
        private final int number;
        private final VerbError status;

        Event(Verb verb, int number, VerbError status) {
            this.verb = verb;
            this.number = number;
            this.status = status;
        }

        /** The call that it follows. */
        public Verb verb() {
            return verb;
        }

        /** The number of {@code rdma_cm_event_type}. */
        public int number() {
            return number;
        }

        /** The error of its status unless a rule says another; null where the status is no error number. */
        public VerbError status() {
            return status;
        }
    }
}
