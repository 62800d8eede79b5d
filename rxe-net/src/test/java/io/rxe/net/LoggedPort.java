package io.rxe.net;

import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.UdpPort;

/** A port that records whether it was closed. */
class LoggedPort extends ForwardingPort {
    volatile boolean closed;

    LoggedPort(UdpPort inner) {
        super(inner);
    }

    @Override
    public void close() {
        closed = true;
        super.close();
    }
}
