package io.rxe.net.socket;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.ReferenceCountUtil;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A plain Netty datagram channel as a port: the fallback for {@link DirectUdpPort}, and the baseline it is measured against.
 *
 * <p>Receives with UDP_GRO, where Netty cuts the batches, or else with recvmmsg; sends batches as {@link
 * SegmentedDatagramPacket}.
 */
public final class PipelineUdpPort implements UdpPort {
    private static final int BATCH_BYTES = 1 << 16;
    /** Space for one frame when several datagrams are read at once. */
    private static final int FRAME_BYTES = 4160;
    private static final int FRAMES_PER_READ = 32;
    private static final int READS_PER_WAKE = 16;

    private final EpollDatagramChannel channel;
    private final NetCounters counters;
    private final SendErrors sendErrors;
    private final Warnings warnings;
    private final FlowTable flows;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final boolean segmenting;
    private final boolean coalescing;

    /**
     * Takes over a bound socket; closes it if the offloads asked for do not exist.
     *
     * @throws IOException if an offload is demanded that the kernel does not have.
     */
    public PipelineUdpPort(LinuxSocket socket, InetSocketAddress local, SocketSettings settings, NetCounters counters,
                           Warnings warnings) throws IOException {
        this.counters = counters;
        this.warnings = warnings;
        this.sendErrors = new SendErrors(counters, warnings);
        this.flows = new FlowTable(local);
        boolean ready = false;
        try {
            this.segmenting = SocketOptions.canSegment(socket, settings.gso(), warnings);
            this.coalescing = SocketOptions.coalesce(socket, settings.gro(), warnings);
            ready = true;
        } finally {
            if (!ready) {
                socket.close();
            }
        }
        this.channel = new EpollDatagramChannel(socket.intValue());
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(BATCH_BYTES,
            4 * BATCH_BYTES));
        if (coalescing) {
            // Set again so that the channel reads batches.
            channel.config().setOption(EpollChannelOption.UDP_GRO, true);
            channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, buffersOf(BATCH_BYTES));
        } else {
            channel.config().setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, FRAME_BYTES);
            channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, buffersOf(FRAMES_PER_READ * FRAME_BYTES));
        }
    }

    /** An allocator other than the default one reads only once for each wake-up unless this is set. */
    private static RecvByteBufAllocator buffersOf(int bytes) {
        return new FixedRecvByteBufAllocator(bytes).maxMessagesPerRead(READS_PER_WAKE);
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
        ChannelFuture registered = new Bootstrap().group(loop).channelFactory(() -> channel)
            .handler(new FrameHandler(receiver, onReady)).register().awaitUninterruptibly();
        if (!registered.isSuccess()) {
            throw new IOException("the event loop refuses the socket", registered.cause());
        }
    }

    @Override
    public int receive(int maxBytes) {
        return 0;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        if (!channel.isWritable()) {
            counters.count(NetCounter.SEND_BUSY);
            return SendStatus.BUSY;
        }
        boolean segmented = lengthBytes > segmentBytes;
        // A copy, because Netty may queue what the kernel does not accept at once, while the sink reuses its buffer.
        ByteBuf copy = channel.alloc().directBuffer(lengthBytes);
        ByteBuffer source = buffer.byteBuffer().duplicate();
        int start = buffer.wrapAdjustment() + offset;
        source.limit(start + lengthBytes).position(start);
        copy.writeBytes(source);
        InetSocketAddress to = new InetSocketAddress(flows.destination(flow), flow.destinationPort());
        ChannelFuture sent = channel.writeAndFlush(segmented ? new SegmentedDatagramPacket(copy, segmentBytes, to)
            : new DatagramPacket(copy, to));
        if (!sent.isDone()) {
            sent.addListener(late -> {
                if (!late.isSuccess()) {
                    sendErrors.classify(late.cause(), segmented);
                }
            });
        } else if (!sent.isSuccess()) {
            return sendErrors.classify(sent.cause(), segmented);
        }
        counters.count(NetCounter.SEND_CALLS);
        return SendStatus.SENT;
    }

    @Override
    public boolean canSegment() {
        return segmenting;
    }

    @Override
    public boolean isCoalescing() {
        return coalescing;
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public void close() {
        if (channel.isRegistered()) {
            channel.close();
        } else {
            channel.unsafe().closeForcibly();
        }
    }

    /** The end of the pipeline: delivers datagrams as frames. */
    private final class FrameHandler extends ChannelInboundHandlerAdapter {
        private final FrameReceiver receiver;
        private final Runnable onReady;

        FrameHandler(FrameReceiver receiver, Runnable onReady) {
            this.receiver = receiver;
            this.onReady = onReady;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            try {
                DatagramPacket packet = (DatagramPacket) message;
                ByteBuf content = packet.content();
                int lengthBytes = content.readableBytes();
                ByteBuffer bytes = content.internalNioBuffer(content.readerIndex(), lengthBytes);
                view.wrap(bytes, bytes.position(), lengthBytes);
                counters.count(NetCounter.RECEIVE_CALLS);
                counters.count(NetCounter.RECEIVED_FRAMES);
                counters.count(NetCounter.RECEIVED_BYTES, lengthBytes);
                Peer sender = flows.peer(packet.sender());
                flows.onFrame(view, 0, lengthBytes, sender);
                receiver.onFrame(view, 0, lengthBytes, sender.flow);
            } finally {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            onReady.run();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                onReady.run();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            counters.count(NetCounter.RECEIVE_ERRORS);
            warnings.once(cause.getClass().getName(), "receiving a datagram failed, please report it: " + cause);
        }
    }
}
