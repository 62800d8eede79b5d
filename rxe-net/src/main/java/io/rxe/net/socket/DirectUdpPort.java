package io.rxe.net.socket;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A UDP socket read and written straight from the event loop, without a channel and its pipeline.
 *
 * <p>Why it exists: a Netty datagram channel creates a reference-counted object for each datagram and fills its fields through JNI one
 * by one; measured with GSO and GRO on loopback that costs half to three quarters of the throughput. This class registers an
 * {@link EpollIoHandle} around Netty's public {@link LinuxSocket}: one receive call fills one buffer that lives as long as the port,
 * one send call carries a whole batch. It uses only Netty's public classes.
 *
 * <p>A second socket may receive what routers marked ({@link #receiveMarked}). {@link DedicatedSocket} decides which peer is received
 * through a socket of its own, {@link FrameDelivery} when a frame is delivered. The receive call returns no control messages, so {@link
 * GroSplitter} has to find the GRO segment size.
 */
public final class DirectUdpPort implements UdpPort {
    /** Longer than any UDP datagram, so that none is truncated. */
    private static final int RECEIVE_BYTES = 1 << 16;
    /** Bounds a receive of small datagrams. */
    private static final int MAX_DATAGRAMS = 64;
    /** Most times that both sockets are received from in turn. */
    private static final int MARKED_TURNS = 4;
    /** More receives than are needed to empty a socket's buffer. */
    private static final int MAX_DRAIN_RECEIVES = 256;
    private static final EpollIoOps READABLE = EpollIoOps.EPOLLIN;
    private static final EpollIoOps READABLE_OR_WRITABLE = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

    private final LinuxSocket socket;
    private final NetCounters counters;
    private final SendErrors sendErrors;
    private final Warnings warnings;
    private final FlowTable flows;
    private final DatagramReceiver receiver;
    private final FrameDelivery delivery;
    private final DedicatedSocket dedicated;
    /** Null where marks are not seen. */
    private ReceiveSocket marked;
    private final boolean spinning;
    /** Whether the event loop is notified only once, because other threads receive too. */
    private final boolean once;
    private final boolean segmenting;
    private Runnable onReady;
    private IoRegistration registration;
    private boolean awaitsWritable;
    /** Whether the event loop saw an error of the socket, which the next receive clears: only the engine's owner may count. */
    private volatile boolean hasError;
    /** The last receive stopped at its bound. */
    private boolean hasMore;
    /** Present value of UDP_SEGMENT; 0 for none. It stays set for later sends, and each change costs a system call. */
    private int segmentOption;
    /** Present value of IP_TOS or IPV6_TCLASS, which stays set for later sends too. */
    private int classOption;

    /**
     * Takes over a bound socket; closes it if the offloads asked for do not exist, or memory does not.
     *
     * @param peerSockets opens sockets for single peers; null where the socket is one of several that share its address.
     * @throws IOException if an offload is demanded that the kernel does not have.
     */
    public DirectUdpPort(LinuxSocket socket, PeerSocketOpener peerSockets, InetSocketAddress local, SocketSettings settings,
                         NetCounters counters, Warnings warnings) throws IOException {
        this.socket = socket;
        this.counters = counters;
        this.warnings = warnings;
        this.spinning = settings.spin();
        this.once = settings.once();
        this.sendErrors = new SendErrors(counters, warnings);
        this.flows = new FlowTable(local);
        this.dedicated = new DedicatedSocket(peerSockets, spinning, once, warnings);
        try {
            UnsafeBuffer received = new UnsafeBuffer(BufferUtil.allocateDirectAligned(RECEIVE_BYTES, 64));
            this.receiver = new DatagramReceiver(received, flows, settings.headers());
            this.segmenting = SocketOptions.canSegment(socket, settings.gso(), warnings);
            this.delivery = new FrameDelivery(received, SocketOptions.coalesce(socket, settings.gro(), warnings), flows, counters);
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Takes over a bound socket to which the kernel delivers what routers marked, and nothing else; before {@link #start}. Closes it if
     * that fails.
     *
     * @throws IOException if an offload is demanded that the kernel does not have.
     */
    public void receiveMarked(LinuxSocket socketOfMarked, SocketSettings settings) throws IOException {
        try {
            SocketOptions.coalesce(socketOfMarked, settings.gro(), warnings);
            marked = new ReceiveSocket(socketOfMarked, null, once);
        } finally {
            if (marked == null) {
                socketOfMarked.close();
            }
        }
    }

    @Override
    public void start(IoEventLoop eventLoop, FrameReceiver frameReceiver, Runnable readiness) throws IOException {
        onReady = readiness;
        delivery.start(frameReceiver);
        dedicated.start(eventLoop, readiness);
        if (!spinning) {
            // A loop that polls all the time needs no notification, and notifying costs the sender's side of the kernel.
            registration = Readiness.register(eventLoop, new Handle(), once ? Readiness.READABLE_ONCE : READABLE);
            if (marked != null) {
                marked.register(eventLoop, readiness);
            }
        }
    }

    @Override
    public int receive(int maxBytes) {
        hasMore = false;
        if (hasError) {
            hasError = false;
            clearError();
        }
        int datagrams = delivery.deliverHeld();
        ReceiveSocket peerSocket = dedicated.current();
        if (peerSocket != null) {
            int fromPeer = receive(peerSocket.socket(), peerSocket.peer, maxBytes);
            datagrams += fromPeer;
        }
        // A frame that is held back lies in the buffer.
        if (!delivery.isHolding() && dedicated.pollShared()) {
            int fromShared = receive(socket, null, maxBytes);
            dedicated.onShared(fromShared);
            datagrams += fromShared;
            if (dedicated.isRunComplete()) {
                // Draining overwrites the buffer.
                datagrams += delivery.deliverHeld();
                openDedicated();
            }
            if (marked != null) {
                datagrams += receiveInTurn(maxBytes);
            }
        }
        delivery.onReceived(datagrams);
        return datagrams;
    }

    /**
     * Receives what is marked, and in turn what arrived since at the shared socket, until one of the two is empty: of two datagrams that
     * followed each other the second could otherwise be delivered first, and the first would seem lost.
     */
    private int receiveInTurn(int maxBytes) {
        int datagrams = 0;
        for (int turn = 0; turn < MARKED_TURNS && !delivery.isHolding(); turn++) {
            int fromMarked = receive(marked.socket(), null, maxBytes);
            datagrams += fromMarked;
            if (fromMarked == 0 || delivery.isHolding()) {
                break;
            }
            int fromShared = receive(socket, null, maxBytes);
            datagrams += fromShared;
            if (fromShared == 0) {
                break;
            }
        }
        return datagrams;
    }

    @Override
    public boolean hasMore() {
        return hasMore;
    }

    @Override
    public void lookEverywhere() {
        dedicated.lookEverywhere();
    }

    /**
     * Receives from one socket.
     *
     * @param connectedTo the only sender, where the socket is connected; null where anyone may send to it.
     */
    private int receive(LinuxSocket from, Peer connectedTo, int maxBytes) {
        int datagrams = 0;
        int bytes = 0;
        boolean isSingle = false;
        boolean isMarked = marked != null && from == marked.socket();
        try {
            while (bytes < maxBytes && datagrams < MAX_DATAGRAMS && !isSingle) {
                int length = receiver.receive(from, connectedTo);
                if (length < 0) {
                    break;
                }
                if (connectedTo == null) {
                    dedicated.onSender(receiver.sender());
                }
                datagrams++;
                bytes += length;
                isSingle = delivery.isSingle(bytes);
                boolean isSampled = dedicated.isSampled();
                boolean isGood = delivery.deliver(length, receiver.sender(), receiver.flow(isMarked), isSingle, isSampled);
                if (isSampled) {
                    dedicated.onSample(connectedTo != null, isGood);
                }
            }
            hasMore |= bytes >= maxBytes || datagrams >= MAX_DATAGRAMS;
        } catch (IOException e) {
            counters.count(NetCounter.RECEIVE_ERRORS);
        }
        return datagrams;
    }

    private void openDedicated() {
        LinuxSocket connected = dedicated.open(socket, flows);
        if (connected != null) {
            // In the order of arrival: first the shared socket, then the new one, which any sender could reach until it was connected.
            try {
                drain(socket);
                drain(connected);
            } finally {
                closeReplaced();
            }
            counters.count(NetCounter.PEER_SOCKETS);
        }
    }

    private void closeReplaced() {
        if (dedicated.replaced() != null) {
            try {
                drain(dedicated.replaced().socket());
            } finally {
                closeEmptied();
            }
        }
    }

    private void closeEmptied() {
        try {
            dedicated.closeReplaced();
        } catch (IOException e) {
            // Nothing is lost: it was empty, and the kernel has freed it all the same.
            counters.count(NetCounter.RECEIVE_ERRORS);
        }
    }

    private void drain(LinuxSocket from) {
        delivery.endIdle();
        int receives = 0;
        while (receives < MAX_DRAIN_RECEIVES && receive(from, null, RECEIVE_BYTES) > 0) {
            receives++;
        }
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        boolean segmented = lengthBytes > segmentBytes;
        try {
            chooseSegment(segmented, lengthBytes, segmentBytes);
            chooseClass(flow);
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
            SendStatus status = sendErrors.classify(e, segmented);
            if (status == SendStatus.SEGMENTATION_REFUSED) {
                clearSegment();
            }
            return status;
        }
    }

    /** Some kernels refuse even a single frame while the option is set. */
    private void clearSegment() {
        try {
            SocketOptions.segment(socket, 0);
            segmentOption = 0;
        } catch (IOException e) {
            warnings.once("segment_option",
                "the segment size of the socket cannot be cleared, single frames may be refused too (--gso off avoids it): "
                    + e.getMessage());
        }
    }

    /** A single frame passes unless the option is shorter than it, so only a batch needs the option at its own segment size. */
    private void chooseSegment(boolean segmented, int lengthBytes, int segmentBytes) throws IOException {
        if (segmented ? segmentOption != segmentBytes : segmentOption != 0 && segmentOption < lengthBytes) {
            int value = segmented ? segmentBytes : 0;
            SocketOptions.segment(socket, value);
            segmentOption = value;
        }
    }

    /** A send cannot carry its class by itself: Netty passes only UDP_SEGMENT and UDP_GRO. */
    private void chooseClass(Flow flow) {
        int wanted = flow.trafficClass();
        if (wanted != classOption) {
            classOption = wanted;
            try {
                SocketOptions.trafficClass(socket, flow.isIpv4(), wanted);
            } catch (IOException e) {
                warnings.undone("traffic class " + wanted, "the system refuses traffic class " + wanted + " (" + e.getMessage()
                    + "): packets that should have it leave with another; use traffic class 0");
            }
        }
    }

    private void awaitWritable() {
        if (!awaitsWritable && registration != null && registration.isValid()) {
            awaitsWritable = true;
            if (!once) {
                registration.submit(READABLE_OR_WRITABLE);
            }
        }
    }

    /** An iteration tries a full socket again; only a sleeping loop must be notified of room. */
    @Override
    public void rearm() {
        if (once && registration != null && registration.isValid()) {
            registration.submit(awaitsWritable ? Readiness.READABLE_OR_WRITABLE_ONCE : Readiness.READABLE_ONCE);
            awaitsWritable = false;
            dedicated.rearm();
            if (marked != null) {
                marked.rearm();
            }
        }
    }

    /** Reading the pending error clears it; otherwise it would wake the loop again and again. */
    private void clearError() {
        try {
            socket.getSoError();
        } catch (IOException e) {
            warnings.once("so_error", "reading the socket's error failed: " + e.getMessage());
        }
        counters.count(NetCounter.RECEIVE_ERRORS);
    }

    @Override
    public boolean canSegment() {
        return segmenting;
    }

    @Override
    public boolean isCoalescing() {
        return delivery.isCoalescing();
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        closeSocket();
    }

    private void closeSocket() {
        close(dedicated::close);
        if (marked != null) {
            close(marked::release);
        }
        close(socket::close);
    }

    private void close(Closeable part) {
        try {
            part.close();
        } catch (IOException e) {
            // Nothing is lost: the port is not used any more.
            warnings.once("close", "closing the socket failed: " + e.getMessage());
        }
    }

    /** The registration of this socket with the event loop. */
    private final class Handle implements EpollIoHandle {
        @Override
        public FileDescriptor fd() {
            return socket;
        }

        @Override
        public void handle(IoRegistration source, IoEvent event) {
            EpollIoOps ops = ((EpollIoEvent) event).ops();
            if (ops.contains(EpollIoOps.EPOLLERR)) {
                if (once) {
                    hasError = true;
                } else {
                    clearError();
                }
            }
            if (!once && awaitsWritable && ops.contains(EpollIoOps.EPOLLOUT)) {
                awaitsWritable = false;
                source.submit(READABLE);
            }
            onReady.run();
        }

        /** The event loop ends. What several threads use, its owner closes. */
        @Override
        public void close() {
            if (!once) {
                closeSocket();
            }
        }
    }
}
