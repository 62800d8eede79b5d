package io.rxe.tools.side;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A TCP connection between two test programs, used with blocking calls.
 *
 * <p>One thread at a time may read and one write; any thread may call {@link #close}, which ends a blocked read.
 */
public final class SideChannel implements AutoCloseable {
    /** How long a read waits by default. */
    public static final Duration DEFAULT_READ_TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_MESSAGE_BYTES = 1 << 24;

    private final Channel channel;
    private final EventLoopGroup owned;
    private final ExactLengthDecoder decoder;
    private volatile Duration readTimeout = DEFAULT_READ_TIMEOUT;

    private SideChannel(Channel channel, ExactLengthDecoder decoder, EventLoopGroup owned) {
        this.channel = channel;
        this.owned = owned;
        this.decoder = decoder;
    }

    /**
     * Listens on every local address, IPv4 and IPv6.
     *
     * @param port TCP port, 0 to 65535; 0 lets the system choose, see {@link SideListener#port}.
     * @throws IOException if the port is taken.
     */
    public static SideListener listen(int port) throws IOException {
        return SideListener.open(port);
    }

    /**
     * Connects to a listening peer.
     *
     * @param host    name or address; every address of a name is tried.
     * @param port    TCP port, 1 to 65535.
     * @param timeout for each address.
     * @throws IOException that says why no address accepted the connection.
     */
    public static SideChannel connect(String host, int port, Duration timeout) throws IOException {
        EventLoopGroup group = newGroup();
        IOException failure = null;
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                ExactLengthDecoder decoder = new ExactLengthDecoder();
                long startNs = System.nanoTime();
                ChannelFuture connected = new Bootstrap().group(group).channel(EpollSocketChannel.class)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(decoder).connect(new InetSocketAddress(address, port)).awaitUninterruptibly();
                if (connected.isSuccess()) {
                    SideChannel side = new SideChannel(connected.channel(), decoder, group);
                    failure = null;
                    return side;
                }
                failure = failedConnect(address, port, connected.cause(), System.nanoTime() - startNs);
            }
        } catch (UnknownHostException e) {
            failure = new UnknownHostException("'" + host + "' is neither a host name that can be resolved nor an IP address");
            failure.initCause(e);
        } finally {
            if (failure != null) {
                group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            }
        }
        throw failure;
    }

    private static IOException failedConnect(InetAddress address, int port, Throwable cause, long triedNs) {
        IOException failure = new ConnectException("no TCP connection to " + address.getHostAddress() + " port " + port + " ("
            + reason(cause) + " after " + TimeUnit.NANOSECONDS.toMillis(triedNs) + " ms): start the server there first, with the same port,"
            + " and check " + remedy(cause));
        failure.initCause(cause);
        return failure;
    }

    private static String reason(Throwable cause) {
        if (cause instanceof NoRouteToHostException) {
            return "host unreachable";
        }
        return cause instanceof ConnectTimeoutException ? "no reply"
            : cause instanceof ConnectException ? "connection refused" : String.valueOf(cause.getMessage());
    }

    private static String remedy(Throwable cause) {
        if (cause instanceof NoRouteToHostException) {
            return "that the host is up and `ip route get` shows a route to it";
        }
        return cause instanceof ConnectTimeoutException ? "that the host is up and no firewall drops the port"
            : "that nothing blocks the port";
    }

    static EventLoopGroup newGroup() {
        return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("rxe-side", true), EpollIoHandler.newFactory());
    }

    /** Wraps a connection that was accepted; its event loop belongs to the listener. */
    static SideChannel accepted(Channel channel, ExactLengthDecoder decoder) {
        return new SideChannel(channel, decoder, null);
    }

    /** How long a read waits for its message; zero waits without limit. */
    public void readTimeout(Duration timeout) {
        readTimeout = timeout;
    }

    /** The peer's address and port. */
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** Our address and port. */
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    /**
     * Waits for a message of known length.
     *
     * @param lengthBytes 0 to 16,777,216.
     * @throws EOFException           if the peer closed the connection before the message was complete.
     * @throws SocketTimeoutException if it did not arrive in time; see {@link #readTimeout}. The connection must be closed then.
     * @throws IOException            if the connection broke.
     */
    public byte[] readExactly(int lengthBytes) throws IOException {
        if (lengthBytes < 0 || lengthBytes > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("message length " + lengthBytes + " is not in 0.." + MAX_MESSAGE_BYTES
                + ": read longer ones in parts");
        }
        if (lengthBytes == 0) {
            return new byte[0];
        }
        decoder.request(lengthBytes);
        Object got = take(lengthBytes);
        if (got instanceof byte[] message) {
            return message;
        }
        if (got instanceof Throwable broken) {
            throw new IOException("the side channel to " + remoteAddress() + " broke: " + broken.getMessage(), broken);
        }
        throw new EOFException("the peer closed the side channel where a message of " + lengthBytes
            + " bytes was expected: see its output for the reason");
    }

    private Object take(int lengthBytes) throws IOException {
        Duration timeout = readTimeout;
        try {
            Object got = timeout.isZero() ? decoder.results().take()
                : decoder.results().poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (got == null) {
                throw new SocketTimeoutException("the peer sent no message of " + lengthBytes + " bytes within "
                    + timeout.toMillis()
                    + " ms: check whether it still runs");
            }
            return got;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a message of " + lengthBytes + " bytes");
        }
    }

    /**
     * Sends a message and returns when the kernel has accepted it.
     *
     * @throws IOException if the connection is closed or broke.
     */
    public void write(byte[] message) throws IOException {
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(message)).awaitUninterruptibly();
        if (!written.isSuccess()) {
            throw new IOException("the side channel to " + remoteAddress() + " broke: " + written.cause().getMessage(),
                written.cause());
        }
    }

    /**
     * Whether the peer has closed the connection, or it broke. Does not wait: the answer is at least as old as the last call. What arrived
     * before can still be read.
     */
    public boolean isEnded() {
        decoder.watch();
        return decoder.isEnded();
    }

    /** {@link System#nanoTime} when the connection ended; 0 before {@link #isEnded}, which must have been called before the end. */
    public long endedNs() {
        return decoder.endedNs();
    }

    /** Closes the connection; may be called twice. */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        if (owned != null) {
            owned.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
