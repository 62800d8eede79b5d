package io.rxe.device;

import io.rxe.fault.TimedFault;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import java.util.function.Consumer;

/** Makes the faults that happen without a call, on the ways of true ones. Waits for the engines, so that no engine's thread may use it. */
final class MadeFaults {
    private final Nic nic;
    private final EventQueue events;
    private final PortLinks links;

    MadeFaults(Nic nic, EventQueue events, PortLinks links) {
        this.nic = nic;
        this.events = events;
        this.links = links;
    }

    /** Makes a fault; {@code io.rxe.cm} makes those of connections. */
    void make(TimedFault fault) {
        switch (fault.kind()) {
            case EVENT -> raise(fault);
            case QUEUE_PAIR_ERROR -> forQueuePairs(fault, pair -> pair.modify(QueuePairAttributes.to(QueuePairState.ERROR)));
            case DISCONNECTED, DEVICE_REMOVAL, ADDR_CHANGE -> {
                // Connection management hears of them by itself.
            }
        }
    }

    private void raise(TimedFault fault) {
        switch (fault.event()) {
            case DEVICE_FATAL -> nic.engine(0).thread().call(() -> nic.engine(0).fail(new MadeFailure(fault.why())));
            case PORT_ERR, PORT_ACTIVE -> {
                for (int port = 1; port <= nic.ports(); port++) {
                    links.onPort(port, fault.event() == AsyncEvent.Type.PORT_ACTIVE, fault.why());
                }
            }
            case LID_CHANGE, PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER, GID_CHANGE ->
                events.raise(fault.event(), null, null, fault.why());
            case QP_FATAL -> forQueuePairs(fault, pair -> pair.fail(fault.why()));
            case QP_REQ_ERR, QP_ACCESS_ERR, QP_LAST_WQE_REACHED -> forQueuePairs(fault, pair -> failWith(pair, fault));
            case COMM_EST, SQ_DRAINED, PATH_MIG, PATH_MIG_ERR ->
                forQueuePairs(fault, pair -> events.raise(fault.event(), pair, null, fault.why()));
            case CQ_ERR -> nic.completionQueues().forEach(queue -> overrun(queue, fault));
            case SRQ_ERR, SRQ_LIMIT_REACHED -> nic.domains().forEach(domain -> domain.sharedReceiveQueues().forEach(queue -> {
                events.add(new AsyncEvent(fault.event(), null, null, queue, fault.why()));
                if (fault.event() == AsyncEvent.Type.SRQ_ERR) {
                    queue.users().forEach(user -> user.fail(fault.why()));
                }
            }));
        }
    }

    /** The queue counts as having lost a completion: the queue pairs that use it fail (rule R17). */
    private void overrun(NicCompletionQueue queue, TimedFault fault) {
        if (queue.overrun()) {
            events.raise(AsyncEvent.Type.CQ_ERR, null, queue, fault.why());
        }
        queue.users().forEach(user -> user.fail(fault.why()));
    }

    /** QP_LAST_WQE_REACHED is raised by the flush where there is a shared receive queue. */
    private void failWith(NicQueuePair pair, TimedFault fault) {
        if (fault.event() != AsyncEvent.Type.QP_LAST_WQE_REACHED || !pair.isShared()) {
            events.raise(fault.event(), pair, null, fault.why());
        }
        pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
    }

    private void forQueuePairs(TimedFault fault, Consumer<NicQueuePair> change) {
        nic.domains().stream().flatMap(domain -> domain.queuePairs().stream())
            .filter(pair -> (fault.queuePair() == 0 || fault.queuePair() == pair.number()) && pair.state() != QueuePairState.RESET)
            .forEach(pair -> makeUnlessClosed(() -> change.accept(pair)));
    }

    /** The application may close a queue pair at any moment. */
    private static void makeUnlessClosed(Runnable change) {
        try {
            change.run();
        } catch (IllegalStateException closed) {
            // Nothing is left to fail.
        }
    }

    /** Why an engine ended. */
    private static final class MadeFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MadeFailure(String why) {
            super(why);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }
}
