package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A socket, its loop and a make-believe engine that keeps what it gets and sends what it is given. */
final class TestNode implements AutoCloseable, EngineCore {
    final NicLoop loop;
    final int udpPort;
    private final NetCounters counters = new NetCounters();
    final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    /** What the next polls do with the sink; a negative answer asks to be tried again. */
    final ConcurrentLinkedQueue<ToIntFunction<PacketSink>> toSend = new ConcurrentLinkedQueue<>();
    final AtomicInteger polls = new AtomicInteger();
    final BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    volatile long deadlineNs = Long.MAX_VALUE;
    private final EventLoopGroup group;

    /** A frame that arrived, and how often the engine had been polled before. */
    record Received(UnsafeBuffer bytes, Flow flow, int polls) {
    }

    TestNode(RxeNicOptions wanted) throws IOException {
        this(wanted, port -> port, 0, 1);
    }

    TestNode(RxeNicOptions wanted, UnaryOperator<UdpPort> layer, int index, int engines) throws IOException {
        this(wanted, open(wanted), layer, index, engines);
    }

    /** Serves a socket that is open already. */
    TestNode(RxeNicOptions wanted, LinuxSocket socket, UnaryOperator<UdpPort> layer, int index, int engines) throws IOException {
        this(wanted, socket, engines > 1 ? null : peerSockets(wanted), layer, index, engines);
    }

    /** Opens sockets for peers that send much in a way of the test's own. */
    TestNode(RxeNicOptions wanted, PeerSocket.Opener peerSockets) throws IOException {
        this(wanted, open(wanted), peerSockets, port -> port, 0, 1);
    }

    private TestNode(RxeNicOptions wanted, LinuxSocket socket, PeerSocket.Opener peerSockets,
        UnaryOperator<UdpPort> layer, int index, int engines) throws IOException {
        RxeNicOptions options = wanted.withNotices(notices::add);
        udpPort = options.udpPort();
        Notices said = new Notices(options.notices());
        InetSocketAddress address = address(options);
        UdpPort port = options.path() == IoPath.DIRECT
            ? new DirectUdpPort(socket, peerSockets, address, options, counters, said)
            : new PipelineUdpPort(socket, address, options, counters, said);
        group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("test-engine", true), EpollIoHandler.newFactory());
        loop = new NicLoop(index, engines, (IoEventLoop) group.next(), layer.apply(port), options.spin(), counters, said);
        loop.attach(this, List.of(loop));
        if (engines == 1) {
            loop.start();
        }
    }

    private static PeerSocket.Opener peerSockets(RxeNicOptions options) throws IOException {
        InetSocketAddress address = address(options);
        SocketOpener opener = new SocketOpener(options, new Notices(options.notices()));
        return (shared, peer) -> opener.openConnected(shared, address, peer);
    }

    private static LinuxSocket open(RxeNicOptions options) throws IOException {
        return new SocketOpener(options, new Notices(options.notices())).open(address(options),
            InterfaceInfo.of(options.address()).index());
    }

    private static InetSocketAddress address(RxeNicOptions options) throws IOException {
        return new InetSocketAddress(InterfaceInfo.of(options.address()).address(), options.udpPort());
    }

    /** Makes one NIC of several nodes, whose sockets have ports of their own, so that frames can arrive at the wrong one. */
    static void join(List<TestNode> nodes) throws IOException {
        for (TestNode node : nodes) {
            node.loop.attach(node, nodes.stream().map(one -> one.loop).toList());
        }
        for (TestNode node : nodes) {
            node.loop.start();
        }
    }

    @Override
    public void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs) {
        byte[] copy = new byte[lengthBytes];
        buffer.getBytes(offset, copy);
        received.add(new Received(new UnsafeBuffer(copy), flow, polls.get()));
    }

    @Override
    public int poll(long nowNs, PacketSink sink) {
        polls.incrementAndGet();
        if (nowNs >= deadlineNs) {
            deadlineNs = Long.MAX_VALUE;
            received.add(new Received(new UnsafeBuffer(new byte[0]), null, polls.get()));
        }
        ToIntFunction<PacketSink> next = toSend.peek();
        if (next == null || next.applyAsInt(sink) < 0) {
            return 0;
        }
        toSend.remove();
        return 1;
    }

    @Override
    public long nextDeadlineNs() {
        return deadlineNs;
    }

    /** Has something sent by the engine's next poll. */
    void send(ToIntFunction<PacketSink> what) {
        toSend.add(what);
        loop.wake();
    }

    /** A counter once the loop has ended the round it is in: a frame can arrive before its sender has counted it. */
    long count(NetCounter counter) {
        loop.call(() -> { });
        return counters.get(counter);
    }

    /** Waits until the loop has counted so many. */
    void await(NetCounter counter, long wanted) {
        await(() -> count(counter) >= wanted, counter.name());
    }

    void await(BooleanSupplier condition, String what) {
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            while (!condition.getAsBoolean()) {
                Thread.sleep(1);
            }
        }, what);
    }

    /** Waits for a frame. */
    Received next() throws InterruptedException {
        Received one = received.poll(20, TimeUnit.SECONDS);
        assertNotNull(one, "a frame arrives");
        return one;
    }

    @Override
    public void close() {
        loop.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
