package io.rxe.ibverbs;

import io.rxe.net.NicEvent;
import io.rxe.net.NicEvents;
import io.rxe.net.host.ServiceThread;
import io.rxe.net.process.Sentences;
import io.rxe.verbs.AsyncEvent;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/** Passes the device's asynchronous events to the program: a thread of its own waits for them. */
final class AsyncEvents {
    private final int nic;
    private final NicEvents events;
    /** Addresses of the program's structures. Guarded by this, so that no event reaches one that was freed. */
    private final Map<Object, Long> addresses = new IdentityHashMap<>();

    /**
     * @param nic    number of the NIC in the program.
     * @param events used for nothing else.
     */
    AsyncEvents(int nic, NicEvents events) {
        this.nic = nic;
        this.events = events;
    }

    void start() {
        ServiceThread.start("rxe-events", this::serve);
    }

    private boolean serve() throws InterruptedException {
        NicEvent event;
        try {
            event = events.await(Long.MAX_VALUE);
        } catch (IllegalStateException e) {
            // The NIC is closed: the program ends.
            Sentences.verbose(e::getMessage);
            return false;
        }
        if (event != null) {
            try {
                deliver(event.async());
            } catch (OutOfMemoryError e) {
                HeapReserve.release();
                deliver(event.async());
            }
        }
        return true;
    }

    synchronized void add(Object object, long address) {
        addresses.put(object, address);
    }

    /** Address of the program's structure. */
    synchronized long address(Object object) {
        return addresses.get(object);
    }

    synchronized void remove(Object object) {
        addresses.remove(object);
    }

    private synchronized void deliver(AsyncEvent event) {
        int type = number(event.type());
        if (!event.explanation().isEmpty()) {
            Sentences.verbose(() -> event.type() + ": " + event.explanation());
        }
        if (event.queuePair() != null) {
            report(event.queuePair(), type, Downcalls::queuePairEvent);
        } else if (event.completionQueue() != null) {
            report(event.completionQueue(), type, Downcalls::completionQueueEvent);
        } else if (event.sharedReceiveQueue() != null) {
            report(event.sharedReceiveQueue(), type, Downcalls::sharedReceiveQueueEvent);
        } else {
            Downcalls.deviceEvent(nic, type);
        }
    }

    private void report(Object object, int type, ObjIntConsumer<Long> downcall) {
        Long address = addresses.get(object);
        if (address != null) {
            downcall.accept(address, type);
        }
    }

    /** The number of {@code ibv_event_type}. */
    static int number(AsyncEvent.Type type) {
        return switch (type) {
            case CQ_ERR -> 0;
            case QP_FATAL -> 1;
            case QP_REQ_ERR -> 2;
            case QP_ACCESS_ERR -> 3;
            case COMM_EST -> 4;
            case SQ_DRAINED -> 5;
            case PATH_MIG -> 6;
            case PATH_MIG_ERR -> 7;
            case DEVICE_FATAL -> 8;
            case PORT_ACTIVE -> 9;
            case PORT_ERR -> 10;
            case LID_CHANGE -> 11;
            case PKEY_CHANGE -> 12;
            case SM_CHANGE -> 13;
            case SRQ_ERR -> 14;
            case SRQ_LIMIT_REACHED -> 15;
            case QP_LAST_WQE_REACHED -> 16;
            case CLIENT_REREGISTER -> 17;
            case GID_CHANGE -> 18;
        };
    }
}
