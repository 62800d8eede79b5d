package io.rxe.tools.side;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A {@link PeerLink} over TCP, connected by the client or accepted by the server. Any thread may close it, which ends a read. */
public final class SideLink implements PeerLink {
    /** How long a read waits by default. */
    public static final Duration READ_TIMEOUT = Duration.ofSeconds(60);
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    /** More than a peer sends before it ends: what {@link #isEnded} found in front of the end. */
    private static final int EARLY_BYTES = 4096;

    private final SocketChannel channel;
    private final boolean isClient;
    private final String peer;
    private final ByteBuffer early = ByteBuffer.allocate(EARLY_BYTES);
    private boolean ended;

    private SideLink(SocketChannel channel, boolean isClient, String peer) throws IOException {
        this.channel = channel;
        this.isClient = isClient;
        this.peer = peer;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        readTimeout(READ_TIMEOUT);
    }

    /**
     * Connects to a server.
     *
     * @param host name or address; every address of a name is tried.
     * @param port TCP port, 1 to 65535.
     * @throws IOException that names host and port and says what to check.
     */
    public static SideLink connect(String host, int port) throws IOException {
        IOException failure = null;
        for (InetAddress address : addresses(host)) {
            long startNs = System.nanoTime();
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(new InetSocketAddress(address, port), CONNECT_TIMEOUT_MS);
                return new SideLink(channel, true, host + ":" + port);
            } catch (IOException e) {
                channel.close();
                failure = failedConnect(address, port, e, System.nanoTime() - startNs);
            }
        }
        throw failure;
    }

    private static InetAddress[] addresses(String host) throws IOException {
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            throw new IOException("'" + host + "' is neither a host name that can be resolved nor an IP address", e);
        }
    }

    private static IOException failedConnect(InetAddress address, int port, IOException cause, long triedNs) {
        String reason = String.valueOf(cause.getMessage()).toLowerCase();
        return new IOException("no TCP connection to " + address.getHostAddress() + " port " + port + " (" + reason + " after "
            + TimeUnit.NANOSECONDS.toMillis(triedNs) + " ms): start the server there first, with the same port, and check that the host is"
            + " up, that `ip route get` shows a route to it, and that no firewall drops the port", cause);
    }

    /**
     * Waits for one client, without a time limit, on every local address, IPv4 and IPv6.
     *
     * @throws IOException if the port is taken; says so.
     */
    public static SideLink accept(int port) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            try {
                listener.bind(new InetSocketAddress(port));
            } catch (BindException e) {
                throw new IOException("TCP port " + port + " cannot be bound (" + e.getMessage()
                    + "): stop the program that listens there (see `ss -ltnp`) or choose another port", e);
            }
            SocketChannel channel = listener.accept();
            return new SideLink(channel, false, channel.socket().getInetAddress().getHostAddress());
        } catch (ClosedByInterruptException e) {
            throw interrupted("waiting for a client", e);
        }
    }

    private static IOException interrupted(String where, ClosedByInterruptException cause) {
        IOException failure = new InterruptedIOException("interrupted while " + where);
        failure.initCause(cause);
        return failure;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public boolean isClient() {
        return isClient;
    }

    @Override
    public void readTimeout(Duration timeout) {
        try {
            channel.socket().setSoTimeout((int) timeout.toMillis());
        } catch (IOException e) {
            // The connection broke: the next read says so.
            ended = true;
        }
    }

    @Override
    public byte[] readExactly(int lengthBytes) throws IOException {
        byte[] message = new byte[lengthBytes];
        early.flip();
        int count = Math.min(lengthBytes, early.remaining());
        early.get(message, 0, count).compact();
        try {
            int got = channel.socket().getInputStream().readNBytes(message, count, lengthBytes - count);
            if (count + got < lengthBytes) {
                throw new EOFException("the peer closed the side channel where a message of " + lengthBytes
                    + " bytes was expected: see its output for the reason");
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new IOException("the peer sent no message of " + lengthBytes + " bytes within " + channel.socket().getSoTimeout()
                + " ms: check whether it still runs", e);
        } catch (ClosedByInterruptException e) {
            throw interrupted("waiting for a message of " + lengthBytes + " bytes", e);
        } catch (EOFException e) {
            throw e;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private IOException broken(IOException cause) {
        return new IOException("the side channel to " + peer + " broke: " + cause.getMessage(), cause);
    }

    @Override
    public void write(byte[] message) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(message);
        try {
            while (left.hasRemaining()) {
                channel.write(left);
            }
        } catch (IOException e) {
            throw broken(e);
        }
    }

    @Override
    public boolean isEnded() {
        try {
            channel.configureBlocking(false);
            while (!ended && early.hasRemaining()) {
                int got = channel.read(early);
                if (got == 0) {
                    break;
                }
                ended = got < 0;
            }
            channel.configureBlocking(true);
        } catch (IOException e) {
            ended = true;
        }
        return ended;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing more is read or written.
            ended = true;
        }
    }
}
