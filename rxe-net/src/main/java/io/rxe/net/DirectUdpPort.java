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
 * <p>A peer that sends much gets a {@link PeerSocket} to be received with.
 *
 * <p>One thing is lost: the receive call carries no control messages, so the GRO segment size is found by {@link GroSplitter}.
 */
final class DirectUdpPort implements UdpPort {
    /** More than a UDP datagram can be, so that none is truncated. */
    private static final int RECEIVE_BYTES = 1 << 16;
    /** Bounds a receive of small datagrams. */
    private static final int MAX_DATAGRAMS = 64;
    /** So many datagrams of one peer in a row earn it a socket of its own. */
    static final int HOT_DATAGRAMS = 1024;
    /** While a peer has a socket of its own the others are looked at once in so many times, unless they are busy too. */
    private static final int LOOKS_BETWEEN = 8;
    /** More full receives than a socket's buffer holds. */
    private static final int DRAIN_ROUNDS = 256;
    /** Less than this is no flood. */
    private static final int LONE_BYTES = 1024;
    private static final EpollIoOps READABLE = EpollIoOps.EPOLLIN;
    private static final EpollIoOps READABLE_OR_WRITABLE = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

    private final LinuxSocket socket;
    private final NetCounters counters;
    private final SendErrors sendErrors;
    private final Notices notices;
    private final FlowTable flows;
    private final GroSplitter splitter = new GroSplitter();
    private final UnsafeBuffer received = new UnsafeBuffer(BufferUtil.allocateDirectAligned(RECEIVE_BYTES, 64));
    private final boolean spinning;
    private final boolean segmenting;
    private final boolean coalescing;
    private PeerSocket.Opener peerSockets;
    private FrameReceiver receiver;
    private IoEventLoop loop;
    private Runnable onReady;
    private IoRegistration registration;
    private boolean awaitsWritable;
    /** Whether the last look found nothing. */
    private boolean lull;
    /** The second frame of a lone datagram, which waits for the next look; or null. */
    private Peer secondPeer;
    private int secondOffset;
    private int secondBytes;
    /** For a peer that sends much, or null. */
    private PeerSocket hot;
    private int looksLeft;
    /** Who sent the last datagram to the socket of all, how many of it came there in a row, and how many to the hot peer's meanwhile. */
    private Peer runPeer;
    private int run;
    private int datagramsBeside;
    /** Value of UDP_SEGMENT now; 0 for none. It sticks to the socket, and each change costs a system call. */
    private int segmentOption;

    /**
     * Takes a bound socket over; closes it if the offloads asked for do not exist.
     *
     * @param peerSockets opens sockets for single peers; null where the socket is one of several that share its address.
     * @throws IOException if an offload is demanded that the kernel does not have.
     */
    DirectUdpPort(LinuxSocket socket, PeerSocket.Opener peerSockets, InetSocketAddress local,
                  RxeNicOptions options, NetCounters counters, Notices notices) throws IOException {
        this.socket = socket;
        this.peerSockets = peerSockets;
        this.counters = counters;
        this.notices = notices;
        this.spinning = options.spin();
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
    public void start(IoEventLoop eventLoop, FrameReceiver frameReceiver, Runnable readiness) throws IOException {
        receiver = frameReceiver;
        loop = eventLoop;
        onReady = readiness;
        if (!spinning) {
            // Who looks all the time need not be told, and telling costs the sender's side of the kernel.
            registration = Readiness.register(loop, new Handle());
        }
    }

    @Override
    public int receive(int maxBytes) {
        int datagrams = deliverSecond();
        if (hot != null) {
            int fromHot = receive(hot.socket(), hot.peer, maxBytes);
            datagramsBeside += fromHot;
            datagrams += fromHot;
        }
        // A frame that waits lies in the buffer.
        if (secondPeer == null && (hot == null || --looksLeft < 0)) {
            int others = receive(socket, null, maxBytes);
            looksLeft = others == 0 ? LOOKS_BETWEEN : 0;
            datagrams += others;
            if (run >= HOT_DATAGRAMS) {
                // What it brings in goes where the frame that waits lies.
                datagrams += deliverSecond();
                onHotPeer();
            }
        }
        lull = datagrams == 0;
        return datagrams;
    }

    /** With a peer: what it sent to the socket that is connected to it. Without: what anybody sent. */
    private int receive(LinuxSocket from, Peer onlyPeer, int maxBytes) {
        int datagrams = 0;
        int bytes = 0;
        boolean isLone = false;
        try {
            while (bytes < maxBytes && datagrams < MAX_DATAGRAMS && !isLone) {
                int length = onlyPeer == null ? receiveWithSender(from) : PeerSocket.receive(from, received);
                if (length < 0) {
                    break;
                }
                datagrams++;
                bytes += length;
                // Somebody who sends little after a lull waits for the answer: it comes before another look, which costs half as much.
                isLone = lull && bytes < LONE_BYTES;
                deliver(length, onlyPeer == null ? runPeer : onlyPeer, isLone);
            }
        } catch (IOException e) {
            counters.count(NetCounter.RECEIVE_ERRORS);
        }
        return datagrams;
    }

    /** A datagram's length, or a negative number when none waits; its sender is {@link #runPeer}. */
    private int receiveWithSender(LinuxSocket from) throws IOException {
        DatagramSocketAddress sender = from.recvFromAddress(received.addressOffset(), 0, RECEIVE_BYTES);
        if (sender == null) {
            return -1;
        }
        Peer peer = flows.peer(sender);
        if (peer != runPeer) {
            runPeer = peer;
            run = 0;
            datagramsBeside = 0;
        }
        run++;
        return sender.receivedAmount();
    }

    /** One peer has been sending alone for a while: it gets a socket of its own, unless another peer's is in use. */
    private void onHotPeer() {
        run = 0;
        boolean isWanted = peerSockets != null && datagramsBeside == 0;
        datagramsBeside = 0;
        if (!isWanted) {
            return;
        }
        try {
            closeHot();
            LinuxSocket connected = peerSockets.open(socket, flows.source(runPeer));
            PeerSocket opened = new PeerSocket(connected, runPeer);
            if (!spinning) {
                opened.register(loop, onReady);
            }
            hot = opened;
            // First what came before there was this socket, then what came to it before it was connected, from whomever.
            drain(socket);
            drain(connected);
            counters.count(NetCounter.PEER_SOCKETS);
        } catch (IOException e) {
            peerSockets = null;
            notices.once("peer_socket", "no second socket can be opened for a peer that sends much (" + e.getMessage()
                + "): everything is received through one, which is slower");
        }
    }

    private void drain(LinuxSocket from) {
        lull = false;
        int round = 0;
        while (round < DRAIN_ROUNDS && receive(from, null, RECEIVE_BYTES) > 0) {
            round++;
        }
    }

    private void closeHot() throws IOException {
        if (hot != null) {
            hot.close();
            hot = null;
        }
    }

    private void deliver(int lengthBytes, Peer peer, boolean isLone) {
        counters.count(NetCounter.RECEIVE_CALLS);
        int segment = coalescing ? splitter.segmentBytes(received, 0, lengthBytes, peer) : lengthBytes;
        if (segment >= lengthBytes) {
            counters.count(NetCounter.RECEIVED_FRAMES);
            if (lengthBytes > GroSplitter.MAX_FRAME) {
                counters.count(NetCounter.UNCUT_DATAGRAMS);
            }
            receiver.onFrame(received, 0, lengthBytes, peer.flow);
        } else {
            counters.count(NetCounter.RECEIVED_BATCHES);
            int frames = (lengthBytes + segment - 1) / segment;
            counters.count(NetCounter.RECEIVED_FRAMES, frames);
            counters.mark(NetCounter.LARGEST_RECEIVED_BATCH, frames);
            if (isLone && frames == 2) {
                deliverFirst(lengthBytes, segment, peer);
            } else {
                deliverAll(lengthBytes, segment, peer);
            }
        }
        counters.count(NetCounter.RECEIVED_BYTES, lengthBytes);
    }

    private void deliverAll(int lengthBytes, int segment, Peer peer) {
        for (int offset = 0; offset < lengthBytes; offset += segment) {
            receiver.onFrame(received, offset, Math.min(segment, lengthBytes - offset), peer.flow);
        }
    }

    /** An acknowledgement usually follows a lone request in its datagram; it has time until the request was answered. */
    private void deliverFirst(int lengthBytes, int segment, Peer peer) {
        receiver.onFrame(received, 0, segment, peer.flow);
        secondPeer = peer;
        secondOffset = segment;
        secondBytes = lengthBytes - segment;
    }

    private int deliverSecond() {
        if (secondPeer == null) {
            return 0;
        }
        Flow flow = secondPeer.flow;
        secondPeer = null;
        receiver.onFrame(received, secondOffset, secondBytes, flow);
        return 1;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        boolean segmented = lengthBytes > segmentBytes;
        try {
            chooseSegment(segmented, lengthBytes, segmentBytes);
            int sent = socket.sendToAddress(buffer.addressOffset(), offset, offset + lengthBytes, flows.destination(flow),
                flow.destinationPort());
            if (sent == 0 && lengthBytes > 0) {
                counters.count(NetCounter.SEND_BUSY);
                awaitWritable();
                return SendStatus.BUSY;
            }
            counters.count(NetCounter.SEND_CALLS);
            return SendStatus.SENT;
        } catch (IOException e) {
            SendStatus status = sendErrors.judge(e, segmented);
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
    private void chooseSegment(boolean segmented, int lengthBytes, int segmentBytes) throws IOException {
        if (segmented ? segmentOption != segmentBytes : segmentOption != 0 && segmentOption < lengthBytes) {
            int value = segmented ? segmentBytes : 0;
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
            closeHot();
            socket.close();
        } catch (IOException e) {
            // There is nothing left to save.
            notices.once("close", "closing the socket failed: " + e.getMessage());
        }
    }

    /** What the event loop's epoll instance knows of this socket. */
    private final class Handle implements EpollIoHandle {
        @Override
        public FileDescriptor fd() {
            return socket;
        }

        @Override
        public void handle(IoRegistration source, IoEvent event) {
            EpollIoOps ops = ((EpollIoEvent) event).ops();
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
