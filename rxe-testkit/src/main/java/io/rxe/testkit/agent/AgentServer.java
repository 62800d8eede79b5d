package io.rxe.testkit.agent;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Serves sessions on a TCP port: one reply line per command line. A client may send several commands before it reads a reply. */
final class AgentServer implements AutoCloseable {
    private static final int MAX_LINE_BYTES = 1 << 20;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    // A command may block for completions; an event loop must not.
    private final EventExecutorGroup workers = new DefaultEventExecutorGroup(2);
    private final Channel channel;

    /**
     * Starts listening.
     *
     * @param port     TCP port, 0 for any free one.
     * @param sessions creates the session of a connection.
     */
    AgentServer(int port, Supplier<AgentSession> sessions) throws InterruptedException {
        channel = new ServerBootstrap().group(loops).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true).childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new ChannelInitializer<Channel>() {
                @Override
                @SuppressWarnings("deprecation")
                protected void initChannel(Channel connection) {
                    connection.pipeline().addLast(new LineBasedFrameDecoder(MAX_LINE_BYTES),
                        new StringDecoder(StandardCharsets.US_ASCII), new StringEncoder(StandardCharsets.US_ASCII));
                    connection.pipeline().addLast(workers, new LineHandler(sessions));
                }
            }).bind(port).sync().channel();
    }

    Channel channel() {
        return channel;
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        workers.shutdownGracefully();
        loops.shutdownGracefully();
    }

    private static final class LineHandler extends SimpleChannelInboundHandler<String> {
        private final Supplier<AgentSession> sessions;
        private AgentSession session;

        LineHandler(Supplier<AgentSession> sessions) {
            this.sessions = sessions;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            session = sessions.get();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, String line) {
            if (!line.isBlank()) {
                context.writeAndFlush(session.reply(line) + '\n');
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (session != null) {
                session.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            cause.printStackTrace();
            context.close();
        }
    }
}
