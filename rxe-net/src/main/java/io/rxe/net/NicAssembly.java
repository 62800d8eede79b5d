package io.rxe.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.net.drive.EngineDriver;
import io.rxe.net.drive.NicUpkeep;
import io.rxe.net.drive.Watchdog;
import io.rxe.net.host.FileDescriptors;
import io.rxe.net.host.LinkWatch;
import io.rxe.net.host.NativeThreads;
import io.rxe.net.observe.CaptureFile;
import io.rxe.net.observe.CounterFile;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.observe.NicObserver;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.DirectUdpPort;
import io.rxe.net.socket.PeerSocketOpener;
import io.rxe.net.socket.PortGroup;
import io.rxe.net.socket.SocketOpener;
import io.rxe.port.CounterSpace;
import io.rxe.port.Entropy;
import io.rxe.port.Progress;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Puts the parts of a NIC together, and takes them apart in the reverse order.
 *
 * <pre>
 *   capture, counter file, event loops, sockets and their drivers, device, connections, watchdog
 * </pre>
 *
 * <p>Nothing here refers to the {@link RxeNic}, see {@link LeakHint}.
 */
final class NicAssembly {
    private static final int CLOSE_TIMEOUT_SECONDS = 5;
    /** Queue pairs whose send windows together fill a socket's receive buffer. */
    private static final int BUFFER_SHARES = 4;

    private record Release(String part, Runnable step) {
    }

    /** A NIC that is open. The capture is null where there is none. */
    record Parts(NicAssembly assembly, Nic nic, NicConnections connections, FaultTimer faults, List<EngineDriver> drivers,
                 List<NetCounters> counters, CaptureFile capture, InterfaceInfo local, SocketInfo socketInfo,
                 Set<NicEvents> waiting, Warnings warnings) {
    }

    private final RxeNicOptions options;
    private final Warnings warnings;
    /** The interfaces of the ports; never empty. */
    private final List<InterfaceInfo> interfaces;
    private final InterfaceInfo local;
    private final SocketOpener opener;
    private final List<NetCounters> counters = new ArrayList<>();
    private final List<FrameVerdict> verdicts = new ArrayList<>();
    private final List<EngineDriver> drivers = new ArrayList<>();
    /** Whoever counts: no cell is written after it is given to another device. */
    private final List<Runnable> countersToDetach = new ArrayList<>();
    /** The latest first. Guarded by this. */
    private final Deque<Release> releases = new ArrayDeque<>();
    private CaptureFile capture;
    private CounterFile counterFile;
    private SocketInfo socketInfo;
    /** Whether the sockets of an engine's ports are two each, the second for what is marked. */
    private boolean seesMarks;

    private NicAssembly(RxeNicOptions options, List<InterfaceInfo> interfaces, Warnings warnings) {
        this.options = options;
        this.warnings = warnings;
        this.interfaces = interfaces;
        this.local = interfaces.get(0);
        this.opener = new SocketOpener(options.socketSettings(), warnings);
    }

    /** See {@link RxeNic#open}. */
    static Parts open(RxeNicOptions options) throws IOException {
        options.checkComplete();
        // First: Netty would warn of a namespace without interfaces, and fail with "Too many open files" without a remedy.
        InterfaceInfo.requireAny();
        FileDescriptors.require(options.engines());
        if (options.progress() != Progress.MANUAL) {
            NativeThreads.require(options.engines());
        }
        SocketOpener.requireEpoll();
        List<InterfaceInfo> interfaces = InterfaceInfo.allOf(options.address());
        PathMtu portMtu = portMtu(options, interfaces);
        NicAssembly assembly = new NicAssembly(options, interfaces, new Warnings(options.warnings()));
        try {
            return assembly.assemble(portMtu);
        } catch (Throwable e) {
            assembly.release();
            throw e;
        }
    }

    /** The counter file of this process; null when there is none, then the NIC counts in private memory. */
    private CounterFile openCounters() {
        try {
            CounterFile file = CounterFile.ofProcess();
            return file.openDevice(local.gid(), options.udpPort()) ? file : null;
        } catch (IOException e) {
            warnings.once("counters", "counters cannot be shown to other processes (" + e.getMessage() + "): rxe stat will not see this"
                + " process; make room there, or set XDG_RUNTIME_DIR to a folder of this user");
            return null;
        }
    }

    private Parts assemble(PathMtu portMtu) throws IOException {
        if (options.captureFile() != null) {
            capture = new CaptureFile(options.captureFile(), options.captureRingBytes(), options.udpPort(), warnings);
            onRelease("capture", capture::close);
        }
        counterFile = options.counterFile() ? openCounters() : null;
        if (counterFile != null) {
            onRelease("counter file", this::closeCounters);
        }
        openDrivers();
        Nic nic = new Nic(config(portMtu), entropy(), List.copyOf(drivers), new MulticastSockets(local, options.udpPort(), opener,
            this::groupPort, List.copyOf(drivers)), counterFile);
        nic.clock().opened(SystemClock.nowNs(), SystemClock.epochNs());
        Set<NicEvents> waiting = ConcurrentHashMap.newKeySet();
        onRelease("events", () -> waiting.forEach(events -> events.end(RxeNic.closedText(local))));
        onRelease("device", nic::end);
        NicConnections connections = new NicConnections(nic, local.address());
        onRelease("connections", () -> {
            ExitHook.remove(connections);
            connections.disconnectAll();
        });
        LinkWatch links = new LinkWatch(nic::onLink);
        for (int port = 1; port <= interfaces.size(); port++) {
            InterfaceInfo one = interfaces.get(port - 1);
            links.add(port, one.name(), one.index());
        }
        onRelease("links", links::close);
        links.look();
        NicUpkeep upkeep = new NicUpkeep(counterFile, capture, List.copyOf(drivers), looks(links), warnings);
        Runnable watch = upkeep::watch;
        onRelease("watchdog", () -> {
            Watchdog.forget(watch);
            upkeep.restoreCounters();
            upkeep.end();
        });
        if (options.progress() != Progress.MANUAL) {
            Watchdog.watch(watch);
        }
        for (int index = 0; index < drivers.size(); index++) {
            countersToDetach.add(nic.engine(index).counters()::detach);
            nic.engine(index).observe(new NicObserver(local.gid() + " " + options.udpPort(), index, verdicts.get(index), capture,
                warnings));
            drivers.get(index).attach(nic.engine(index), List.copyOf(drivers), upkeep);
        }
        for (EngineDriver driver : drivers) {
            driver.start();
        }
        FaultTimer faults = new FaultTimer(nic, connections, options.faults(), warnings);
        faults.start();
        onRelease("faults", faults::close);
        return new Parts(this, nic, connections, faults, List.copyOf(drivers), List.copyOf(counters), capture, local, socketInfo, waiting,
            warnings);
    }

    /** What is looked at now and then: the interfaces, and what faults have counted. */
    private Runnable looks(LinkWatch links) {
        Runnable look = () -> {
            if (links.look()) {
                // An engine that is idle shows what was counted, too.
                drivers.get(0).wake();
            }
        };
        if (counterFile == null || options.verbsFault() == null) {
            return look;
        }
        FaultCounters faults = new FaultCounters(options.verbsFault(), counterFile,
            new CounterSpace.Owner(local.gid(), options.udpPort(), 0));
        countersToDetach.add(faults::detach);
        return () -> {
            look.run();
            faults.publish();
        };
    }

    private void openDrivers() throws IOException {
        Iterator<EventExecutor> loops = null;
        if (options.progress() != Progress.MANUAL) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(options.engines(), new DefaultThreadFactory("rxe-engine", true),
                EpollIoHandler.newFactory());
            onRelease("event loops", () -> {
                if (!group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_TIMEOUT_SECONDS,
                    TimeUnit.SECONDS)) {
                    throw new IllegalStateException("the thread of an engine has not ended");
                }
            });
            loops = group.iterator();
        }
        for (int index = 0; index < options.engines(); index++) {
            NetCounters counted = new NetCounters(counterFile, new CounterSpace.Owner(local.gid(), options.udpPort(), index));
            counters.add(counted);
            countersToDetach.add(counted::detach);
            verdicts.add(new FrameVerdict());
            EngineDriver driver = driver(index, loops == null ? null : (IoEventLoop) loops.next());
            drivers.add(driver);
            onRelease("loop", driver::close);
        }
    }

    private EngineDriver driver(int index, IoEventLoop loop) throws IOException {
        UdpPort ports = openPorts(index);
        try {
            return new EngineDriver(new EngineDriver.Settings(index, options.engines(), options.progress(), options.spin()), loop, ports,
                counters.get(index), verdicts.get(index), warnings);
        } catch (Throwable e) {
            // There may be no memory for its buffers.
            ports.close();
            throw e;
        }
    }

    /** The sockets of one engine, one for each port of the NIC. */
    private UdpPort openPorts(int engine) throws IOException {
        List<UdpPort> opened = new ArrayList<>();
        try {
            for (InterfaceInfo one : interfaces) {
                opened.add(openPort(one, engine));
            }
            return opened.size() == 1 ? opened.get(0) : new PortGroup(gids(), opened);
        } catch (Throwable e) {
            opened.forEach(UdpPort::close);
            throw e;
        }
    }

    private UdpPort openPort(InterfaceInfo one, int engine) throws IOException {
        InetSocketAddress address = new InetSocketAddress(one.address(), options.udpPort());
        LinuxSocket socket = engine == 0 ? opener.open(address, one.index()) : opener.openNext(address, one.index());
        DirectUdpPort bare = bare(socket, opener.peerSockets(address), address, engine);
        try {
            return complete(bare, socket, one, address, engine);
        } catch (Throwable e) {
            bare.close();
            throw e;
        }
    }

    private UdpPort complete(DirectUdpPort bare, LinuxSocket socket, InterfaceInfo one, InetSocketAddress address, int engine)
        throws IOException {
        if (engine == 0 && options.ecn().notificationPoint()) {
            steerMarked(socket, one.gid().isIpv4());
        }
        if (seesMarks) {
            bare.receiveMarked(opener.openNext(address, one.index()), options.socketSettings());
        }
        socketInfo = new SocketInfo(opener.receiveBufferBytes(), opener.sendBufferBytes(), bare.canSegment(), bare.isCoalescing(),
            counterFile == null ? null : counterFile.path());
        if (engine + 1 == options.engines() && options.engines() > 1 && !seesMarks) {
            steer(socket);
        }
        return layered(bare, engine);
    }

    private UdpPort groupPort(LinuxSocket socket, InetSocketAddress address, int engine) throws IOException {
        return layered(bare(socket, null, address, engine), engine);
    }

    private DirectUdpPort bare(LinuxSocket socket, PeerSocketOpener peerSockets, InetSocketAddress address, int engine) throws IOException {
        return new DirectUdpPort(socket, peerSockets, address, options.socketSettings(), counters.get(engine), warnings);
    }

    /** Faults are made above the capture, so that the capture holds what is on the wire. */
    private UdpPort layered(UdpPort bare, int engine) {
        UdpPort port = capture == null ? bare : capture.tap(bare, verdicts.get(engine));
        UdpPort faulty = options.fault() == null ? port : options.fault().around(port, counters.get(engine));
        return options.verbsFault() == null ? faulty : new DownPort(faulty, options.verbsFault(), counters.get(engine));
    }

    private void steerMarked(LinuxSocket first, boolean ipv4) {
        try {
            SocketOpener.steerMarked(first, options.engines(), ipv4);
            seesMarks = true;
        } catch (IOException e) {
            seesMarks = false;
            warnings.undone("marks", "the kernel refuses to say which packets are marked (" + e.getMessage()
                + "): peers are not notified of congestion; it needs Linux 4.6 or later, and a security policy that allows classic BPF");
        }
    }

    private void steer(LinuxSocket socket) {
        try {
            SocketOpener.steerByQueuePair(socket, options.engines());
        } catch (IOException e) {
            warnings.once("steer", "the kernel refuses to steer packets by queue pair (" + e.getMessage()
                + "): the engines forward packets to each other, which is slower; --engines 1 avoids it");
        }
    }

    private NicConfig config(PathMtu portMtu) throws IOException {
        // Assumes that the peer's buffer is as large as ours. A few queue pairs must fit in it together.
        int windowBytes = Math.max(2 * PathMtu.MTU_4096.bytes(),
            Math.min(NicConfig.DEFAULT_WINDOW_BYTES, opener.receiveBufferBytes() / BUFFER_SHARES));
        return new NicConfig(gids(), options.udpPort(), portMtu, options.engines(), windowBytes, InterfaceInfo.broadcasts(),
            options.reorderBytes(), NicConfig.DEFAULT_PATH_BYTES, options.partitionKeys(), options.ecn(),
            options.congestion(), options.faults());
    }

    private List<Gid> gids() {
        return interfaces.stream().map(InterfaceInfo::gid).toList();
    }

    private Entropy entropy() {
        return options.seed() == null ? new SecureRandom()::nextInt : new Random(options.seed())::nextInt;
    }

    /** The smallest of the ports, so that a queue pair can migrate between them. */
    private static PathMtu portMtu(RxeNicOptions options, List<InterfaceInfo> interfaces) {
        InterfaceInfo smallest = interfaces.stream().min(Comparator.comparingInt(InterfaceInfo::mtuBytes)).orElseThrow();
        PathMtu carried = smallest.portMtu();
        PathMtu wanted = options.portMtu();
        if (wanted == null) {
            return carried;
        }
        if (wanted.bytes() > carried.bytes()) {
            throw new IllegalArgumentException("port MTU " + wanted.bytes() + " > " + carried.bytes()
                + ", the largest that " + smallest.name()
                + " carries: lower it or raise the interface MTU from " + smallest.mtuBytes() + " to "
                + (wanted.bytes() + PathMtu.HEADROOM_BYTES));
        }
        return wanted;
    }

    private synchronized void onRelease(String part, Runnable step) {
        releases.push(new Release(part, step));
    }

    /** Releases every part that was opened, once. Whatever fails on the way is a warning, and the rest is released all the same. */
    synchronized void release() {
        drivers.forEach(EngineDriver::limitWaits);
        while (!releases.isEmpty()) {
            Release next = releases.pop();
            try {
                next.step.run();
            } catch (Throwable e) {
                warnings.once("close " + next.part, "closing the NIC failed at its " + next.part + ", the rest is released: " + e);
            }
        }
    }

    private void closeCounters() {
        countersToDetach.forEach(Runnable::run);
        counterFile.closeDevice(local.gid(), options.udpPort());
    }
}
