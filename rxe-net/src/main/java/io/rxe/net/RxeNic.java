package io.rxe.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.port.CounterSpace;
import io.rxe.port.Entropy;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * A NIC on a real network: a core, its UDP sockets and the threads that drive it.
 *
 * <pre>
 *   try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("192.0.2.1"))) {
 *       Device device = nic.device();
 *       ...
 *   }
 * </pre>
 *
 * <p>Callable from any thread, except that {@link #close} must not be called on an engine's thread.
 */
public final class RxeNic implements AutoCloseable {
    private static final int CLOSE_TIMEOUT_SECONDS = 5;
    /** Queue pairs whose windows together fill a socket's receive buffer. */
    private static final int BUFFER_SHARES = 4;

    private final InterfaceInfo local;
    private final EventLoopGroup group;
    private final CaptureFile capture;
    private final CounterFile counterFile;
    private final int udpPort;
    private final List<NicLoop> loops = new ArrayList<>();
    private final List<FrameVerdict> verdicts = new ArrayList<>();
    private Nic nic;
    private SocketInfo socketInfo;

    private RxeNic(InterfaceInfo local, EventLoopGroup group, CaptureFile capture, CounterFile counterFile, int udpPort) {
        this.local = local;
        this.group = group;
        this.capture = capture;
        this.counterFile = counterFile;
        this.udpPort = udpPort;
    }

    /**
     * Opens a NIC.
     *
     * @throws IOException              if there is no such address, the port is taken, or the system lacks something; the
     *                                  message says what to do.
     * @throws IllegalArgumentException if the port MTU asked for is more than the interface carries.
     */
    public static RxeNic open(RxeNicOptions options) throws IOException {
        SocketOpener.requireEpoll();
        Notices notices = new Notices(options.notices());
        InterfaceInfo local = InterfaceInfo.of(options.address());
        PathMtu portMtu = portMtu(options, local);
        CaptureFile capture = options.captureFile() == null ? null
            : new CaptureFile(options.captureFile(), options.captureRingBytes(), notices);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(options.engines(),
            new DefaultThreadFactory("rxe-engine", true),
            EpollIoHandler.newFactory(0, () -> strategy(options)));
        RxeNic opened = new RxeNic(local, group, capture, counterFile(options, local, notices), options.udpPort());
        boolean ready = false;
        try {
            SocketOpener opener = new SocketOpener(options, notices);
            opened.openSockets(options, opener, notices);
            opened.start(options, portMtu, opener, notices);
            ready = true;
        } finally {
            if (!ready) {
                opened.close();
            }
        }
        return opened;
    }

    /** The counters of this process in a file; without one the NIC counts for itself. */
    private static CounterFile counterFile(RxeNicOptions options, InterfaceInfo local, Notices notices) {
        if (!options.counterFile()) {
            return null;
        }
        try {
            CounterFile file = CounterFile.ofProcess();
            return file.openDevice(local.gid(), options.udpPort()) ? file : null;
        } catch (IOException e) {
            notices.once("counters", "counters cannot be shown to other processes (" + e.getMessage() + "): rxe stat will not see this"
                + " one; make room there, or set XDG_RUNTIME_DIR to a folder of this user");
            return null;
        }
    }

    /** The verbs. Closing the NIC closes the device. */
    public Device device() {
        return nic;
    }

    /** The core, for those who want its engines and their counters. */
    public Nic core() {
        return nic;
    }

    /** Address and interface it is bound to. */
    public InterfaceInfo localInterface() {
        return local;
    }

    /** What the system gave it. */
    public SocketInfo socketInfo() {
        return socketInfo;
    }

    /** How many engines it has. */
    public int engines() {
        return loops.size();
    }

    /** Counters of the socket of one engine, 0 to engines - 1. */
    public NetCounters counters(int engine) {
        return loops.get(engine).counters();
    }

    /** A counter summed over all engines. */
    public long count(NetCounter counter) {
        return loops.stream().mapToLong(loop -> loop.counters().get(counter)).sum();
    }

    /** Closes the device, the sockets and the threads; may be called twice. */
    @Override
    public void close() {
        if (nic != null) {
            nic.close();
        }
        loops.forEach(NicLoop::close);
        group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        if (capture != null) {
            capture.close();
        }
        if (counterFile != null) {
            // Nobody counts any more: what follows cannot see the cells in use by others.
            for (int index = 0; index < loops.size(); index++) {
                loops.get(index).counters().detach();
                if (nic != null) {
                    nic.engine(index).counters().detach();
                }
            }
            counterFile.closeDevice(local.gid(), udpPort);
        }
    }

    private void openSockets(RxeNicOptions options, SocketOpener opener, Notices notices) throws IOException {
        InetSocketAddress address = new InetSocketAddress(local.address(), options.udpPort());
        for (EventExecutor executor : group) {
            LinuxSocket socket = loops.isEmpty() ? opener.open(address, local.index())
                : opener.openNext(address, local.index());
            NetCounters counters = new NetCounters(counterFile,
                new CounterSpace.Owner(local.gid(), options.udpPort(), loops.size()));
            FrameVerdict verdict = new FrameVerdict();
            verdicts.add(verdict);
            UdpPort bare = makePort(options, notices, socket, peerSockets(options, opener, address), address, counters);
            socketInfo = new SocketInfo(opener.receiveBufferBytes(), opener.sendBufferBytes(), bare.canSegment(), bare.isCoalescing(),
                counterFile == null ? null : counterFile.path());
            UdpPort port = layered(options, bare, counters, verdict);
            loops.add(new NicLoop(loops.size(), options.engines(), (IoEventLoop) executor, port, options.spin(), counters,
                notices));
            if (loops.size() == options.engines() && options.engines() > 1) {
                steer(socket, options.engines(), notices);
            }
        }
    }

    /** A connected socket among several that share an address would put an end to their steering. */
    private static PeerSocket.Opener peerSockets(RxeNicOptions options, SocketOpener opener, InetSocketAddress address) {
        return options.engines() > 1 ? null : (shared, peer) -> opener.openConnected(shared, address, peer);
    }

    private static UdpPort makePort(RxeNicOptions options, Notices notices, LinuxSocket socket,
                                    PeerSocket.Opener peerSockets, InetSocketAddress address, NetCounters counters)
        throws IOException {
        return options.path() == IoPath.DIRECT ? new DirectUdpPort(socket, peerSockets, address, options, counters, notices)
            : new PipelineUdpPort(socket, address, options, counters, notices);
    }

    /** The capture sees what is on the wire, so faults are made above it. */
    private UdpPort layered(RxeNicOptions options, UdpPort bare, NetCounters counters, FrameVerdict verdict) {
        UdpPort port = capture == null ? bare : capture.tap(bare, verdict);
        return options.fault() == null ? port : options.fault().around(port, counters);
    }

    private static void steer(LinuxSocket socket, int engines, Notices notices) {
        try {
            SocketOpener.steerByQueuePair(socket, engines);
        } catch (IOException e) {
            notices.once("steer", "the kernel refuses to steer packets by queue pair (" + e.getMessage()
                + "): the engines hand them over to each other, which is slower; --engines 1 avoids it");
        }
    }

    private void start(RxeNicOptions options, PathMtu portMtu, SocketOpener opener, Notices notices)
        throws IOException {
        // The peer's buffer is taken to be like ours; a few queue pairs shall fit in it together.
        int windowBytes = Math.max(2 * PathMtu.MTU_4096.bytes(),
            Math.min(NicConfig.DEFAULT_WINDOW_BYTES, opener.receiveBufferBytes() / BUFFER_SHARES));
        nic = new Nic(new NicConfig(local.gid(), options.udpPort(), portMtu, options.engines(), windowBytes),
            entropy(options.seed()), List.copyOf(loops), new MulticastGroups(local, options.udpPort(), opener,
                (socket, address, engine) -> layered(options, makePort(options, notices, socket, null, address, counters(engine)),
                    counters(engine), verdicts.get(engine)),
                List.copyOf(loops)), counterFile);
        for (int index = 0; index < loops.size(); index++) {
            Engine engine = nic.engine(index);
            engine.observe(new NicObserver(local.gid() + " " + udpPort, index, verdicts.get(index), capture));
            loops.get(index).attach(driven(engine, verdicts.get(index)), List.copyOf(loops));
        }
        for (NicLoop loop : loops) {
            loop.start();
        }
    }

    private static Entropy entropy(Long seed) {
        if (seed == null) {
            return new SecureRandom()::nextInt;
        }
        return new Random(seed)::nextInt;
    }

    private static PathMtu portMtu(RxeNicOptions options, InterfaceInfo local) {
        PathMtu carried = local.portMtu();
        PathMtu wanted = options.portMtu();
        if (wanted == null) {
            return carried;
        }
        if (wanted.bytes() > carried.bytes()) {
            throw new IllegalArgumentException("port MTU " + wanted.bytes() + " > " + carried.bytes()
                + ", the largest that " + local.name()
                + " carries: lower it or raise the interface MTU from " + local.mtuBytes() + " to "
                + (wanted.bytes() + PathMtu.HEADROOM_BYTES));
        }
        return wanted;
    }

    /** A pipeline that spins does so inside epoll; the direct port spins by itself and looks into epoll now and then. */
    private static SelectStrategy strategy(RxeNicOptions options) {
        boolean busyWait = options.spin() && options.path() == IoPath.PIPELINE;
        return (selectNow, hasTasks) -> {
            if (hasTasks) {
                return selectNow.get();
            }
            return busyWait ? SelectStrategy.BUSY_WAIT : SelectStrategy.SELECT;
        };
    }

    private static EngineCore driven(Engine engine, FrameVerdict verdict) {
        return new EngineCore() {
            @Override
            public void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs) {
                verdict.handedOver();
                engine.onPacket(buffer, offset, lengthBytes, flow, nowNs);
            }

            @Override
            public int poll(long nowNs, PacketSink sink) {
                return engine.poll(nowNs, sink);
            }

            @Override
            public long nextDeadlineNs() {
                return engine.nextDeadlineNs();
            }
        };
    }
}
