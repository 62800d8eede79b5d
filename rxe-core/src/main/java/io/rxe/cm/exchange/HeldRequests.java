package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.MadHeader;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongCounterMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Requests for service IDs that are bound and have no listener yet: a program may tell its peer a port and listen afterwards. Each waits
 * for the listener, and is refused after {@link #HOLD_NS}. Their number is limited, since nobody has verified who sent them. Engine thread.
 */
final class HeldRequests {
    static final long HOLD_NS = 1_000_000_000;
    private static final int MOST = 64;

    /** A REQ or a SIDR_REQ, and when it is refused. */
    record Held(CmAttribute attribute, long serviceId, Origin source, UnsafeBuffer mad, long untilNs) {
        boolean isSame(Origin otherSource, DirectBuffer other, int offset) {
            return source.equals(otherSource) && mad.equals(new UnsafeBuffer(other, offset, MadHeader.MAD_LENGTH));
        }
    }

    /** How often a service ID is bound. */
    private final Long2LongCounterMap bound = new Long2LongCounterMap(0);
    /** Oldest first. */
    private final ArrayDeque<Held> requests = new ArrayDeque<>();

    void bind(long serviceId) {
        bound.getAndIncrement(serviceId);
    }

    void unbind(long serviceId) {
        if (bound.decrementAndGet(serviceId) <= 0) {
            bound.remove(serviceId);
        }
    }

    /** Keeps a request, or knows it already: peers retransmit. False where it must be refused. */
    boolean hold(CmAttribute attribute, long serviceId, DirectBuffer mad, int offset, Origin source, long nowNs) {
        if (!bound.containsKey(serviceId)) {
            return false;
        }
        for (Held held : requests) {
            if (held.isSame(source, mad, offset)) {
                return true;
            }
        }
        if (requests.size() == MOST) {
            return false;
        }
        byte[] copy = new byte[MadHeader.MAD_LENGTH];
        mad.getBytes(offset, copy);
        requests.add(new Held(attribute, serviceId, source, new UnsafeBuffer(copy), nowNs + HOLD_NS));
        return true;
    }

    /** Takes out the oldest request for a service ID, or null. */
    Held take(long serviceId) {
        for (Iterator<Held> each = requests.iterator(); each.hasNext();) {
            Held held = each.next();
            if (held.serviceId() == serviceId) {
                each.remove();
                return held;
            }
        }
        return null;
    }

    /** Takes out the oldest request if its time is over, or null. */
    Held takeDue(long nowNs) {
        return nextDeadlineNs() <= nowNs ? requests.poll() : null;
    }

    /** {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        return requests.isEmpty() ? Long.MAX_VALUE : requests.peek().untilNs();
    }

    void clear() {
        bound.clear();
        requests.clear();
    }
}
