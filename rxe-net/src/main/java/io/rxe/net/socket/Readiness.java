package io.rxe.net.socket;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import java.io.IOException;
import java.util.concurrent.ExecutionException;

/** Registers sockets with an event loop, which then calls them when they are readable. */
final class Readiness {
    /** EPOLLONESHOT of Linux. */
    private static final int ONE_SHOT = 1 << 30;
    /** Notified once of a readable socket. */
    static final EpollIoOps READABLE_ONCE = EpollIoOps.EPOLLIN.with(EpollIoOps.valueOf(ONE_SHOT));
    /** Notified once of a socket that is readable or has room. */
    static final EpollIoOps READABLE_OR_WRITABLE_ONCE = READABLE_ONCE.with(EpollIoOps.EPOLLOUT);

    private Readiness() {
    }

    /**
     * Registers a socket for reading. On another thread than the loop's it waits for the loop.
     *
     * @param ops what it is notified of at first.
     * @throws IOException if the event loop refuses the socket, or the caller is interrupted while it waits.
     */
    static IoRegistration register(IoEventLoop loop, EpollIoHandle socket, EpollIoOps ops) throws IOException {
        try {
            IoRegistration registration = loop.register(socket).get();
            registration.submit(ops);
            return registration;
        } catch (ExecutionException e) {
            throw new IOException("the event loop refuses the socket", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the socket was being registered", e);
        }
    }
}
