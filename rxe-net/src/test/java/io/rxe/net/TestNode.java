package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rxe.net.drive.EngineDriver;
import io.rxe.net.drive.NicUpkeep;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.DirectUdpPort;
import io.rxe.net.socket.PeerSocketOpener;
import io.rxe.net.socket.SocketOpener;
import io.rxe.port.DrivenEngine;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.port.Progress;
import io.rxe.time.HostDelay;
import io.rxe.wire.Gid;
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

/** A socket, its loop and a stub of an engine that keeps the frames it receives and sends what tests give it. */
public final class TestNode implements AutoCloseable, DrivenEngine {
    public final EngineDriver loop;
    public final int udpPort;
    private final NetCounters counters = new NetCounters(null, null);
    final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    /** What the next polls do with the sink; a negative result asks for another try. */
    final ConcurrentLinkedQueue<ToIntFunction<PacketSink>> toSend = new ConcurrentLinkedQueue<>();
    public final AtomicInteger polls = new AtomicInteger();
    /** Destinations whose frames were not sent, and why. */
    public final BlockingQueue<String> unsent = new LinkedBlockingQueue<>();
    public final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
    /** Causes with which the loop failed the engine. */
    public final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    /** Thrown once, by the next packet. */
    volatile Error throwOnPacket;
    volatile long deadlineNs = Long.MAX_VALUE;
    private final EventLoopGroup group;
    private final HostDelay hostDelay = new HostDelay();

    /** A received frame, and the number of polls before it. */
    public record Received(UnsafeBuffer bytes, Flow flow, int polls) {
    }

    public TestNode(RxeNicOptions wanted) throws IOException {
        this(wanted, port -> port, 0, 1);
    }

    TestNode(RxeNicOptions wanted, UnaryOperator<UdpPort> layer, int index, int engines) throws IOException {
        this(wanted, open(wanted), layer, index, engines);
    }

    /** Serves an open socket. */
    TestNode(RxeNicOptions wanted, LinuxSocket socket, UnaryOperator<UdpPort> layer, int index, int engines) throws IOException {
        this(wanted, socket, engines > 1 ? null : peerSockets(wanted), layer, index, engines);
    }

    /** Opens dedicated sockets with the test's opener. */
    public TestNode(RxeNicOptions wanted, PeerSocketOpener peerSockets) throws IOException {
        this(wanted, open(wanted), peerSockets, port -> port, 0, 1);
    }

    private TestNode(RxeNicOptions wanted, LinuxSocket socket, PeerSocketOpener peerSockets,
        UnaryOperator<UdpPort> layer, int index, int engines) throws IOException {
        RxeNicOptions options = wanted.withWarnings(warnings::add);
        udpPort = options.udpPort();
        Warnings passed = new Warnings(options.warnings());
        InetSocketAddress address = address(options);
        UdpPort port = new DirectUdpPort(socket, peerSockets, address, options.socketSettings(), counters, passed);
        group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("test-engine", true), EpollIoHandler.newFactory());
        IoEventLoop thread = (IoEventLoop) group.next();
        loop = new EngineDriver(new EngineDriver.Settings(index, engines, options.progress(), options.spin()), thread, layer.apply(port),
            counters, new FrameVerdict(), passed);
        loop.attach(this, List.of(loop), upkeep());
        if (engines == 1) {
            loop.start();
        }
    }

    /** Of a NIC without files and drivers. */
    public static NicUpkeep upkeep() {
        return new NicUpkeep(null, null, List.of(), () -> { }, noWarnings());
    }

    private static Warnings noWarnings() {
        return new Warnings(warning -> {
            throw new AssertionError(warning);
        });
    }

    /** Drives an engine whose socket is silent, and which must not warn. */
    static EngineDriver driver(Progress progress, IoEventLoop loop, DrivenEngine engine) {
        EngineDriver driver = new EngineDriver(new EngineDriver.Settings(0, 1, progress, false), loop, new SilentPort(),
            new NetCounters(null, null), new FrameVerdict(), noWarnings());
        driver.attach(engine, List.of(driver), upkeep());
        return driver;
    }

    private static PeerSocketOpener peerSockets(RxeNicOptions options) throws IOException {
        return new SocketOpener(options.socketSettings(), new Warnings(options.warnings())).peerSockets(address(options));
    }

    private static LinuxSocket open(RxeNicOptions options) throws IOException {
        return new SocketOpener(options.socketSettings(), new Warnings(options.warnings())).open(address(options),
            InterfaceInfo.of(options.address()).index());
    }

    private static InetSocketAddress address(RxeNicOptions options) throws IOException {
        return new InetSocketAddress(InterfaceInfo.of(options.address()).address(), options.udpPort());
    }

    /** Joins several nodes to one NIC. Their sockets have different ports, so that frames can arrive at the wrong one. */
    static void join(List<TestNode> nodes) throws IOException {
        for (TestNode node : nodes) {
            node.loop.attach(node, nodes.stream().map(one -> one.loop).toList(), upkeep());
        }
        for (TestNode node : nodes) {
            node.loop.start();
        }
    }

    @Override
    public HostDelay hostDelay() {
        return hostDelay;
    }

    @Override
    public void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs) {
        if (throwOnPacket != null) {
            Error thrown = throwOnPacket;
            throwOnPacket = null;
            throw thrown;
        }
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
    public long nextTimerNs() {
        return deadlineNs;
    }

    @Override
    public void onSendFailed(Gid destination, String why) {
        unsent.add(destination + ": " + why);
    }

    @Override
    public void fail(Throwable cause) {
        failures.add(cause);
    }

    @Override
    public long nextDeadlineNs() {
        return deadlineNs;
    }

    /** Has the engine polled. */
    public void wake() {
        loop.wake();
    }

    /** Runs a command on the loop's thread. */
    public void call(Runnable command) {
        loop.call(command);
    }

    /** Has the engine's next poll send something. */
    public void send(ToIntFunction<PacketSink> what) {
        toSend.add(what);
        loop.wake();
    }

    /** A counter after the present iteration of the loop: a frame can arrive before its sender has counted it. */
    public long count(NetCounter counter) {
        loop.call(() -> { });
        return counters.get(counter);
    }

    /** Waits until a counter has at least this value. */
    public void await(NetCounter counter, long wanted) {
        await(() -> count(counter) >= wanted, counter.name());
    }

    public void await(BooleanSupplier condition, String what) {
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            while (!condition.getAsBoolean()) {
                Thread.sleep(1);
            }
        }, what);
    }

    /** Ends the event loop without closing the port. */
    void endEventLoop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Waits for a frame. */
    public Received next() throws InterruptedException {
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
