package io.rxe.net.socket;

import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Opens a socket that is connected to one peer; see {@link DedicatedSocket}. */
@FunctionalInterface
public interface PeerSocketOpener {
    /**
     * Opens a socket on the address and port of another.
     *
     * @param shared the socket that every peer reaches.
     * @param peer   the address to connect to.
     * @throws IOException if the system refuses.
     */
    LinuxSocket open(LinuxSocket shared, InetSocketAddress peer) throws IOException;
}
