package io.rxe.device;

import io.rxe.verbs.AsyncEvent;

/** Which ports are down, because their interface is. One thread writes, any thread reads. */
final class PortLinks {
    private final EventQueue events;
    /** A bit for each port. */
    private volatile long down;

    PortLinks(EventQueue events) {
        this.events = events;
    }

    boolean isUp(int port) {
        return (down & 1L << port) == 0;
    }

    /** Raises PORT_ACTIVE or PORT_ERR when that is news. */
    void onLink(int port, boolean isUp, String interfaceName) {
        if (isUp(port) == isUp) {
            return;
        }
        down ^= 1L << port;
        if (isUp) {
            events.raise(AsyncEvent.Type.PORT_ACTIVE, null, null, "port " + port + ": interface " + interfaceName + " is up");
        } else {
            events.raise(AsyncEvent.Type.PORT_ERR, null, null, "port " + port + ": interface " + interfaceName
                + " is down, or gone: bring it up with `ip link set " + interfaceName + " up`");
        }
    }
}
