package io.rxe.tools.side;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Accepts connections of test programs. Closing it ends the event loop of accepted connections: close them first. */
public final class SideListener implements AutoCloseable {
    private static final int BACKLOG = 16;
    private static final Object CLOSED = new Object();

    private final EventLoopGroup group;
    private final Channel listening;
    private final BlockingQueue<Object> accepted;

    private SideListener(EventLoopGroup group, Channel listening, BlockingQueue<Object> accepted) {
        this.group = group;
        this.listening = listening;
        this.accepted = accepted;
    }

    static SideListener open(int port) throws IOException {
        EventLoopGroup group = SideChannel.newGroup();
        BlockingQueue<Object> accepted = new LinkedBlockingQueue<>();
        ChannelFuture bound = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG).option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel child) {
                    ExactLengthDecoder decoder = new ExactLengthDecoder();
                    child.pipeline().addLast(decoder, new Arrival(accepted, decoder));
                }
            }).bind(new InetSocketAddress(port)).awaitUninterruptibly();
        if (bound.isSuccess()) {
            return new SideListener(group, bound.channel(), accepted);
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        IOException failure = new BindException("TCP port " + port + " cannot be bound (" + bound.cause().getMessage()
            + "): stop the program that listens there (see `ss -ltnp`) or choose another port");
        failure.initCause(bound.cause());
        throw failure;
    }

    /** The TCP port on which it listens. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /**
     * Waits for the next connection.
     *
     * @throws IOException if the listener is closed meanwhile, or the thread interrupted.
     */
    public SideChannel accept() throws IOException {
        try {
            Object next = accepted.take();
            if (next instanceof SideChannel channel) {
                return channel;
            }
            accepted.add(CLOSED);
            throw new SocketException("the listener is closed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a connection");
        }
    }

    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        accepted.add(CLOSED);
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Queues a connection for {@link #accept} once its pipeline is complete. */
    private static final class Arrival extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> accepted;
        private final ExactLengthDecoder decoder;

        Arrival(BlockingQueue<Object> accepted, ExactLengthDecoder decoder) {
            this.accepted = accepted;
            this.decoder = decoder;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.pipeline().remove(this);
            accepted.add(SideChannel.accepted(context.channel(), decoder));
        }
    }
}
