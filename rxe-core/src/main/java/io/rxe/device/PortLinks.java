package io.rxe.device;

import io.rxe.verbs.AsyncEvent;
import java.util.concurrent.atomic.AtomicLong;

/** Which ports are down, because their interface is. A port is also down where a fault was made. Any thread. */
final class PortLinks {
    private final EventQueue events;
    private final Runnable onDown;
    /** A bit for each port. */
    private final AtomicLong down = new AtomicLong();

    /** @param onDown runs each time a port goes down. */
    PortLinks(EventQueue events, Runnable onDown) {
        this.events = events;
        this.onDown = onDown;
    }

    boolean isUp(int port) {
        return (down.get() & 1L << port) == 0;
    }

    /** Raises PORT_ACTIVE or PORT_ERR when that is news. */
    void onLink(int port, boolean isUp, String interfaceName) {
        onPort(port, isUp, "port " + port + ": interface " + interfaceName + (isUp ? " is up"
            : " is down, or gone: bring it up with `ip link set " + interfaceName + " up`"));
    }

    /** As {@link #onLink}, for another cause. */
    void onPort(int port, boolean isUp, String why) {
        long bit = 1L << port;
        long before = isUp ? down.getAndUpdate(bits -> bits & ~bit) : down.getAndUpdate(bits -> bits | bit);
        if ((before & bit) == 0 != isUp) {
            if (!isUp) {
                onDown.run();
            }
            events.raise(isUp ? AsyncEvent.Type.PORT_ACTIVE : AsyncEvent.Type.PORT_ERR, null, null, why);
        }
    }
}
