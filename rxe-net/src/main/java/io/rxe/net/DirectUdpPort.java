package io.rxe.net;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.DatagramSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.rxe.port.Flow;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A UDP socket read and written straight from the event loop, without a channel and its pipeline.
 *
 * <p>Why it exists: a Netty datagram channel makes a reference-counted object for each datagram and fills its fields through
 * JNI one by one; measured with GSO and GRO on loopback that costs half to three quarters of the throughput. This class is an
 * {@link EpollIoHandle} of our own around Netty's public {@link LinuxSocket}: one receive call fills one buffer that lives as
 * long as the port, one send call takes a whole batch. All of it is Netty's public surface. {@link PipelineUdpPort} does the
 * same with a plain channel.
 *
 * <p>One thing is lost: the receive call carries no control messages, so the GRO segment size is found by {@link GroSplitter}.
 */
final class DirectUdpPort implements UdpPort {
    /** More than a UDP datagram can be, so that none is truncated. */
    private static final int RECEIVE_BYTES = 1 << 16;
    /** Bounds a receive of small datagrams. */
    private static final int MAX_DATAGRAMS = 64;
    private static final EpollIoOps READABLE = EpollIoOps.EPOLLIN;
    private static final EpollIoOps READABLE_OR_WRITABLE = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

    private final LinuxSocket socket;
    private final NetCounters counters;
    private final SendErrors sendErrors;
    private final Notices notices;
    private final FlowTable flows;
    private final GroSplitter splitter = new GroSplitter();
    private final UnsafeBuffer received = new UnsafeBuffer(BufferUtil.allocateDirectAligned(RECEIVE_BYTES, 64));
    private final boolean segmenting;
    private final boolean coalescing;
    private FrameReceiver receiver;
    private IoRegistration registration;
    private boolean awaitsWritable;
    /** Value of UDP_SEGMENT now; 0 for none. It sticks to the socket, and each change costs a system call. */
    private int segmentOption;

    /**
     * Takes a bound socket over; closes it if the offloads asked for do not exist.
     *
     * @throws IOException if an offload is demanded that the kernel does not have.
     */
    DirectUdpPort(final LinuxSocket socket, final InetSocketAddress local, final RxeNicOptions options,
        final NetCounters counters,
                  final Notices notices) throws IOException {
        this.socket = socket;
        this.counters = counters;
        this.notices = notices;
        this.sendErrors = new SendErrors(counters, notices);
        this.flows = new FlowTable(local);
        boolean ready = false;
        try {
            this.segmenting = SocketOptions.canSegment(socket, options.gso(), notices);
            this.coalescing = SocketOptions.coalesce(socket, options.gro(), notices);
            ready = true;
        } finally {
            if (!ready) {
                socket.close();
            }
        }
    }

    @Override
    public void start(final IoEventLoop loop, final FrameReceiver frameReceiver, final Runnable onReady) throws IOException {
        receiver = frameReceiver;
        try {
            registration = loop.register(new Handle(onReady)).get();
            registration.submit(READABLE);
        } catch (ExecutionException e) {
            throw new IOException("the event loop refuses the socket", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the socket was being registered", e);
        }
    }

    @Override
    public int receive(final int maxBytes) {
        int datagrams = 0;
        int bytes = 0;
        while (bytes < maxBytes && datagrams < MAX_DATAGRAMS) {
            final DatagramSocketAddress from;
            try {
                from = socket.recvFromAddress(received.addressOffset(), 0, RECEIVE_BYTES);
            } catch (IOException e) {
                counters.count(NetCounter.RECEIVE_ERRORS);
                return datagrams;
            }
            if (from == null) {
                return datagrams;
            }
            datagrams++;
            bytes += from.receivedAmount();
            deliver(from.receivedAmount(), flows.peer(from));
        }
        return datagrams;
    }

    private void deliver(final int lengthBytes, final Peer peer) {
        counters.count(NetCounter.RECEIVE_CALLS);
        final int segment = coalescing ? splitter.segmentBytes(received, 0, lengthBytes, peer) : lengthBytes;
        if (segment >= lengthBytes) {
            counters.count(NetCounter.RECEIVED_FRAMES);
            if (lengthBytes > GroSplitter.MAX_FRAME) {
                counters.count(NetCounter.UNCUT_DATAGRAMS);
            }
            receiver.onFrame(received, 0, lengthBytes, peer.flow);
        } else {
            counters.count(NetCounter.RECEIVED_BATCHES);
            final int frames = (lengthBytes + segment - 1) / segment;
            counters.count(NetCounter.RECEIVED_FRAMES, frames);
            counters.mark(NetCounter.LARGEST_RECEIVED_BATCH, frames);
            for (int offset = 0; offset < lengthBytes; offset += segment) {
                receiver.onFrame(received, offset, Math.min(segment, lengthBytes - offset), peer.flow);
            }
        }
        counters.count(NetCounter.RECEIVED_BYTES, lengthBytes);
    }

    @Override
    public SendStatus send(final Flow flow, final DirectBuffer buffer, final int offset, final int lengthBytes,
        final int segmentBytes) {
        final boolean segmented = lengthBytes > segmentBytes;
        try {
            chooseSegment(segmented, lengthBytes, segmentBytes);
            final int sent = socket.sendToAddress(buffer.addressOffset(), offset, offset + lengthBytes, flows.destination(flow),
                flow.destinationPort());
            if (sent == 0 && lengthBytes > 0) {
                counters.count(NetCounter.SEND_BUSY);
                awaitWritable();
                return SendStatus.BUSY;
            }
            counters.count(NetCounter.SEND_CALLS);
            return SendStatus.SENT;
        } catch (IOException e) {
            final SendStatus status = sendErrors.judge(e, segmented);
            if (status == SendStatus.SEGMENTATION_REFUSED) {
                forgetSegment();
            }
            return status;
        }
    }

    /** Some kernels refuse even a single frame while the option stands. */
    private void forgetSegment() {
        try {
            SocketOptions.segment(socket, 0);
            segmentOption = 0;
        } catch (IOException e) {
            notices.once("segment_option", "the segment size of the socket cannot be taken back: " + e.getMessage());
        }
    }

    /** A single frame passes under any option that is not shorter than it; only a batch needs its own. */
    private void chooseSegment(final boolean segmented, final int lengthBytes, final int segmentBytes) throws IOException {
        if (segmented ? segmentOption != segmentBytes : segmentOption != 0 && segmentOption < lengthBytes) {
            final int value = segmented ? segmentBytes : 0;
            SocketOptions.segment(socket, value);
            segmentOption = value;
        }
    }

    private void awaitWritable() {
        if (!awaitsWritable && registration != null && registration.isValid()) {
            awaitsWritable = true;
            registration.submit(READABLE_OR_WRITABLE);
        }
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
        return true;
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        closeSocket();
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing left to save.
            notices.once("close", "closing the socket failed: " + e.getMessage());
        }
    }

    /** What the event loop's epoll instance knows of this socket. */
    private final class Handle implements EpollIoHandle {
        private final Runnable onReady;

        Handle(final Runnable onReady) {
            this.onReady = onReady;
        }

        @Override
        public FileDescriptor fd() {
            return socket;
        }

        @Override
        public void handle(final IoRegistration source, final IoEvent event) {
            final EpollIoOps ops = ((EpollIoEvent) event).ops();
            if (ops.contains(EpollIoOps.EPOLLERR)) {
                clearError();
            }
            if (awaitsWritable && ops.contains(EpollIoOps.EPOLLOUT)) {
                awaitsWritable = false;
                source.submit(READABLE);
            }
            onReady.run();
        }

        /** Reading the pending error takes it away; unread it would wake the loop for ever. */
        private void clearError() {
            try {
                socket.getSoError();
            } catch (IOException e) {
                notices.once("so_error", "reading the socket's error failed: " + e.getMessage());
            }
            counters.count(NetCounter.RECEIVE_ERRORS);
        }

        @Override
        public void close() {
            closeSocket();
        }
    }
}
