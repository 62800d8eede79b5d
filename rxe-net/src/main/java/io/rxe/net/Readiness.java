package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import java.io.IOException;
import java.util.concurrent.ExecutionException;

/** Has an event loop tell a socket of ours when there is something to read. */
final class Readiness {
    private Readiness() {
    }

    /**
     * Registers a socket for reading. On the loop's own thread this is carried out at once, on any other it waits.
     *
     * @throws IOException if the event loop refuses the socket, or the caller is interrupted meanwhile.
     */
    static IoRegistration register(IoEventLoop loop, EpollIoHandle socket) throws IOException {
        try {
            IoRegistration registration = loop.register(socket).get();
            registration.submit(EpollIoOps.EPOLLIN);
            return registration;
        } catch (ExecutionException e) {
            throw new IOException("the event loop refuses the socket", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the socket was being registered", e);
        }
    }
}
