package io.rxe.net.socket;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;

/**
 * A socket that only receives, beside the shared one that every peer reaches, and that sends.
 *
 * <ul>
 *   <li>Connected to one peer: the kernel delivers that peer's datagrams to it, so a receive need not return the sender's address, which
 *       costs an object and a third of the time of the call.</li>
 *   <li>For what is marked: the kernel delivers what routers marked to it, because a receive returns no part of the IP header.</li>
 * </ul>
 *
 * <p>It does not send. The IPv4 identifications of a connected socket start at a random number, which the ICRC would have to include; so
 * every send uses the unconnected socket. Belongs to the owner of the engine.
 */
final class ReceiveSocket implements EpollIoHandle {
    /** The peer it is connected to; null for what is marked. */
    final Peer peer;
    private final LinuxSocket socket;
    private final boolean once;
    private Runnable onReady;
    private IoRegistration registration;

    /**
     * Takes over a socket.
     *
     * @param peer it is connected to; null for what is marked.
     * @param once whether its readiness is reported only once, until {@link #rearm}.
     */
    ReceiveSocket(LinuxSocket socket, Peer peer, boolean once) {
        this.once = once;
        this.socket = socket;
        this.peer = peer;
    }

    /**
     * Has an event loop call {@code readiness} when the socket is readable; closes the socket if that fails.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void register(IoEventLoop loop, Runnable readiness) throws IOException {
        onReady = readiness;
        try {
            registration = Readiness.register(loop, this, once ? Readiness.READABLE_ONCE : EpollIoOps.EPOLLIN);
        } finally {
            if (registration == null) {
                socket.close();
            }
        }
    }

    /**
     * Has the event loop call {@code readiness} once more; registers the socket at first. On the event loop's thread, so that it waits for
     * nobody.
     *
     * @throws IOException if the event loop refuses the socket, which is then closed.
     */
    void rearm(IoEventLoop loop, Runnable readiness) throws IOException {
        if (registration == null) {
            register(loop, readiness);
        } else {
            rearm();
        }
    }

    /** Has the event loop call its readiness once more, after {@link #register}; on the event loop's thread. */
    void rearm() {
        registration.submit(Readiness.READABLE_ONCE);
    }

    LinuxSocket socket() {
        return socket;
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        onReady.run();
    }

    /** The event loop ends. What several threads use, its owner closes. */
    @Override
    public void close() throws IOException {
        if (!once) {
            release();
        }
    }

    void release() throws IOException {
        if (registration != null) {
            registration.cancel();
        }
        socket.close();
    }
}
