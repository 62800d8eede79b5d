package io.rxe.net;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.agrona.DirectBuffer;

/**
 * A socket connected to one peer beside the one that everybody reaches: the kernel delivers to it what that peer sends, so a receive
 * need not ask for the sender's address, which costs an object and a third of the time of the call.
 *
 * <p>It only receives. The kernel numbers what leaves a connected socket (IPv4 identification) from a random start, which the ICRC
 * would have to know; so everything leaves through the unconnected one. Belongs to the loop thread.
 */
final class PeerSocket implements EpollIoHandle {
    /** Opens one. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens a socket on the address and port of another.
         *
         * @param shared the socket that everybody reaches.
         * @param peer   the address to connect to.
         * @throws IOException if the system refuses.
         */
        LinuxSocket open(LinuxSocket shared, InetSocketAddress peer) throws IOException;
    }

    final Peer peer;
    private final LinuxSocket socket;
    private Runnable onReady;
    private IoRegistration registration;

    /** Takes a connected socket over. */
    PeerSocket(LinuxSocket socket, Peer peer) {
        this.socket = socket;
        this.peer = peer;
    }

    /**
     * Has an event loop tell when there is something to read; closes the socket if that fails.
     *
     * @throws IOException if the event loop refuses the socket.
     */
    void register(IoEventLoop loop, Runnable readiness) throws IOException {
        onReady = readiness;
        try {
            registration = Readiness.register(loop, this);
        } finally {
            if (registration == null) {
                socket.close();
            }
        }
    }

    /**
     * Receives one datagram without its sender.
     *
     * @return its length, or a negative number when none waits.
     * @throws IOException if the socket had an error, which is gone with that: somebody told the kernel that the peer's port is closed.
     */
    static int receive(LinuxSocket connected, DirectBuffer buffer) throws IOException {
        int length = connected.recvAddress(buffer.addressOffset(), 0, buffer.capacity());
        // Netty's answers: 0 for nothing there, -1 for an empty datagram.
        return length > 0 ? length : -1 - length;
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

    /** Closes the socket; the event loop does so too when it ends. */
    @Override
    public void close() throws IOException {
        if (registration != null) {
            registration.cancel();
        }
        socket.close();
    }
}
