package io.rxe.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.net.observe.CaptureFile;
import io.rxe.net.observe.CounterFile;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.observe.NicObserver;
import io.rxe.net.port.NetCounter;
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
import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A NIC on a real network: a core, its UDP sockets and the threads that drive it; or none, with {@link Progress#MANUAL}.
 *
 * <pre>
 *   try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("192.0.2.1"))) {
 *       Device device = nic.device();
 *       ...
 *   }
 * </pre>
 *
 * <p>Any thread may call. Listeners, which run on an engine's thread, must not call {@link #connections}, {@link #resolve} and
 * {@link #close}.
 */
public final class RxeNic implements AutoCloseable {
    private static final int CLOSE_TIMEOUT_SECONDS = 5;
    /** Queue pairs whose send windows together fill a socket's receive buffer. */
    private static final int BUFFER_SHARES = 4;

    /** The interfaces of the ports; never empty. */
    private final List<InterfaceInfo> ports;
    private final InterfaceInfo local;
    /** Null for a NIC without threads. */
    private final EventLoopGroup group;
    private final CaptureFile capture;
    private final CounterFile counterFile;
    private final int udpPort;
    private final Warnings warnings;
    private final Runnable watch;
    private volatile boolean closed;
    private final List<EngineDriver> loops = new CopyOnWriteArrayList<>();
    private final List<NetCounters> counters = new ArrayList<>();
    private final List<FrameVerdict> verdicts = new ArrayList<>();
    private final Set<NicEvents> waiting = ConcurrentHashMap.newKeySet();
    private final NicUpkeep upkeep;
    private final LeakHint leak;
    private Nic nic;
    private NicConnections connections;
    private SocketInfo socketInfo;

    private RxeNic(List<InterfaceInfo> ports, EventLoopGroup group, CaptureFile capture, CounterFile counterFile, int udpPort,
                   Warnings warnings) {
        this.ports = List.copyOf(ports);
        this.local = ports.get(0);
        this.group = group;
        this.capture = capture;
        this.counterFile = counterFile;
        this.udpPort = udpPort;
        this.warnings = warnings;
        this.upkeep = new NicUpkeep(counterFile, capture, loops, warnings);
        this.watch = upkeep::watch;
        this.leak = LeakHint.of(this, local.address().getHostAddress() + " UDP port " + udpPort, warnings);
        if (group != null) {
            Watchdog.watch(watch);
        }
    }

    /**
     * Opens a NIC.
     *
     * @throws IOException              if there is no such address, the port is taken, the system lacks something, Netty is not 4.2 or
     *                                  Agrona not 2, or Java was started without {@code --add-exports} of jdk.internal.misc to Agrona;
     *                                  the message has the remedy.
     * @throws IllegalArgumentException if the interface does not carry the port MTU asked for, or the options do not fit together.
     */
    public static RxeNic open(RxeNicOptions options) throws IOException {
        Objects.requireNonNull(options, "the options are null: start from RxeNicOptions.defaults");
        Prerequisites.require();
        options.checkComplete();
        // First: Netty would warn of a namespace without interfaces, and fail with "Too many open files" without a remedy.
        InterfaceInfo.requireAny();
        FileDescriptors.require(options.engines());
        SocketOpener.requireEpoll();
        Warnings warnings = new Warnings(options.warnings());
        List<InterfaceInfo> ports = InterfaceInfo.allOf(options.address());
        InterfaceInfo local = ports.get(0);
        PathMtu portMtu = portMtu(options, ports);
        CaptureFile capture = options.captureFile() == null ? null
            : new CaptureFile(options.captureFile(), options.captureRingBytes(), warnings);
        EventLoopGroup group = options.progress() == Progress.MANUAL ? null : new MultiThreadIoEventLoopGroup(options.engines(),
            new DefaultThreadFactory("rxe-engine", true), EpollIoHandler.newFactory());
        RxeNic opened = new RxeNic(ports, group, capture, counterFile(options, local, warnings), options.udpPort(),
            warnings);
        boolean ready = false;
        try {
            SocketOpener opener = new SocketOpener(options.socketSettings(), warnings);
            opened.openSockets(options, opener, warnings);
            opened.start(options, portMtu, opener, warnings);
            ready = true;
        } finally {
            if (!ready) {
                opened.close();
            }
        }
        return opened;
    }

    /** The counter file of this process; null when there is none, then the NIC counts in private memory. */
    private static CounterFile counterFile(RxeNicOptions options, InterfaceInfo local, Warnings warnings) {
        if (!options.counterFile()) {
            return null;
        }
        try {
            CounterFile file = CounterFile.ofProcess();
            return file.openDevice(local.gid(), options.udpPort()) ? file : null;
        } catch (IOException e) {
            warnings.once("counters", "counters cannot be shown to other processes (" + e.getMessage() + "): rxe stat will not see this"
                + " process; make room there, or set XDG_RUNTIME_DIR to a folder of this user");
            return null;
        }
    }

    /** The verbs. Closing the NIC closes the device. */
    public Device device() {
        return nic;
    }

    /**
     * Connection management of this NIC: listens, connects, resolves datagram services. Always the same one; it ends with the NIC.
     *
     * @throws IllegalStateException if the NIC is closed or failed before the first call.
     */
    public ConnectionService connections() {
        return connections.service();
    }

    /**
     * One place to wait for the completions, connection events and asynchronous events of this NIC; a new one with each call.
     *
     * @throws IllegalStateException if the NIC is closed.
     */
    public NicEvents events() {
        NicEvents events = new NicEvents(nic, waiting::remove);
        waiting.add(events);
        if (closed) {
            events.close();
            throw new IllegalStateException(closedText());
        }
        return events;
    }

    /**
     * Finds the address of a host that this NIC can reach: of the address family of the NIC. Blocks until the system's resolver has
     * answered.
     *
     * @param host a host name, or an IPv4 or IPv6 address.
     * @return for connections and address vectors.
     * @throws UnknownHostException if there is no such host, or it has no address of this family; the message says which.
     */
    public Gid resolve(String host) throws UnknownHostException {
        return HostName.resolve(host, local.address());
    }

    private String closedText() {
        return "the NIC at " + local.address().getHostAddress() + " is closed: open another";
    }

    /** The core, with its engines and their counters. */
    public Nic core() {
        return nic;
    }

    /** Address and interface of port 1. */
    public InterfaceInfo localInterface() {
        return local;
    }

    /** What the system granted its sockets. */
    public SocketInfo socketInfo() {
        return socketInfo;
    }

    /** The number of engines. */
    public int engines() {
        return loops.size();
    }

    /** Counters of one engine's sockets, 0 to engines - 1. */
    public NetCounters counters(int engine) {
        return counters.get(engine);
    }

    /** One counter summed over all engines. */
    public long count(NetCounter counter) {
        return counters.stream().mapToLong(one -> one.get(counter)).sum();
    }

    /**
     * Closes connections, the device, the sockets and the threads; may be called twice. Peers receive a DREQ and have 200 ms to answer.
     * Who waits for events of this NIC wakes up, see {@link CmEventChannel} and {@link NicEvents}. Whatever fails on the way is a
     * warning, and the rest is released all the same.
     *
     * <p>A process that exits in order (end of main, System.exit, Ctrl-C, SIGTERM) sends its peers a DREQ for each connection of a NIC
     * that is open; it takes 200 ms at most when peers do not answer. A process that is killed sends nothing.
     *
     * @throws IllegalStateException on an engine's thread, which would wait for itself.
     */
    @Override
    public void close() {
        if (isOnEngineThread()) {
            throw new IllegalStateException("close on the thread of an engine, where a listener runs, would wait for itself for ever:"
                + " close the NIC on another thread");
        }
        closed = true;
        leak.onClosed();
        Watchdog.forget(watch);
        upkeep.restoreCounters();
        if (nic != null) {
            release("connections", connections::disconnectAll);
            ExitHook.remove(connections);
            release("device", nic::close);
        }
        waiting.forEach(events -> events.end(closedText()));
        loops.forEach(loop -> release("loop", loop::close));
        if (group != null) {
            release("event loops",
                () -> group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly());
        }
        upkeep.end();
        if (capture != null) {
            release("capture", capture::close);
        }
        if (counterFile != null) {
            release("counter file", this::closeCounters);
        }
    }

    /** All counters that are not 0, by the names that {@code rxe stat} prints; summed over the engines and their sockets. */
    public SortedMap<String, Long> countersByName() {
        return CounterSums.of(nic, counters);
    }

    /** Writes what is buffered for the capture file, or in the capture ring, to the file; no effect without a capture. */
    public void writeCapture() {
        if (capture != null) {
            capture.writeRing();
        }
    }

    /**
     * Drives each engine for one bounded iteration, unless another thread drives it now: receives, polls and sends. Never waits. Any
     * thread, with options of {@link Progress#MANUAL} or {@link Progress#POLLING}; where the engines have threads of their own, and in a
     * listener, it does nothing.
     *
     * @return whether there was anything to do.
     * @throws IllegalStateException if the NIC is closed.
     */
    public boolean progress() {
        if (closed) {
            throw new IllegalStateException(closedText());
        }
        return nic.progress().drive();
    }

    /** Whether the caller runs on the thread of an engine of this NIC, as listeners of completions do. */
    public boolean isOnEngineThread() {
        return loops.stream().anyMatch(EngineDriver::isCurrent);
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String toString() {
        return (nic == null ? "NIC " + local.gid() : nic.toString()) + ", interface " + local.name();
    }

    private void release(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            warnings.once("close " + what, "closing the NIC failed at its " + what + ", the rest is released: " + e);
        }
    }

    private void closeCounters() {
        // No thread counts any more, so that no cell is written after it is given to another device.
        counters.forEach(NetCounters::detach);
        for (int index = 0; nic != null && index < loops.size(); index++) {
            nic.engine(index).counters().detach();
        }
        counterFile.closeDevice(local.gid(), udpPort);
    }

    private void openSockets(RxeNicOptions options, SocketOpener opener, Warnings warnings) throws IOException {
        Iterator<EventExecutor> executors = group == null ? null : group.iterator();
        for (int index = 0; index < options.engines(); index++) {
            IoEventLoop loop = executors == null ? null : (IoEventLoop) executors.next();
            NetCounters counted = new NetCounters(counterFile,
                new CounterSpace.Owner(local.gid(), options.udpPort(), loops.size()));
            FrameVerdict verdict = new FrameVerdict();
            verdicts.add(verdict);
            counters.add(counted);
            List<UdpPort> opened = new ArrayList<>();
            UdpPort port = null;
            try {
                for (InterfaceInfo one : ports) {
                    opened.add(openSocket(options, opener, warnings, one, counted, verdict));
                }
                port = opened.size() == 1 ? opened.get(0) : new PortGroup(gids(), opened);
            } finally {
                if (port == null) {
                    opened.forEach(UdpPort::close);
                }
            }
            loops.add(options.progress() == Progress.THREAD
                ? new NicLoop(index, options.engines(), loop, port, options.spin(), counted, warnings)
                : new PolledEngine(index, options.engines(), loop, port, counted, warnings, group == null ? upkeep::onProgress : null));
        }
    }

    private UdpPort openSocket(RxeNicOptions options, SocketOpener opener, Warnings warnings, InterfaceInfo one, NetCounters counted,
                               FrameVerdict verdict) throws IOException {
        InetSocketAddress address = new InetSocketAddress(one.address(), options.udpPort());
        LinuxSocket socket = loops.isEmpty() ? opener.open(address, one.index()) : opener.openNext(address, one.index());
        UdpPort bare = makePort(options, warnings, socket, opener.peerSockets(address), address, counted);
        socketInfo = new SocketInfo(opener.receiveBufferBytes(), opener.sendBufferBytes(), bare.canSegment(), bare.isCoalescing(),
            counterFile == null ? null : counterFile.path());
        if (loops.size() + 1 == options.engines() && options.engines() > 1) {
            steer(socket, options.engines(), warnings);
        }
        return layered(options, capture, bare, counted, verdict);
    }

    private List<Gid> gids() {
        return ports.stream().map(InterfaceInfo::gid).toList();
    }

    private static UdpPort makePort(RxeNicOptions options, Warnings warnings, LinuxSocket socket,
                                    PeerSocketOpener peerSockets, InetSocketAddress address, NetCounters counters)
        throws IOException {
        return new DirectUdpPort(socket, peerSockets, address, options.socketSettings(), counters, warnings);
    }

    /** Faults are made above the capture, so that the capture holds what is on the wire. */
    private static UdpPort layered(RxeNicOptions options, CaptureFile capture, UdpPort bare, NetCounters counters,
                                   FrameVerdict verdict) {
        UdpPort port = capture == null ? bare : capture.tap(bare, verdict);
        return options.fault() == null ? port : options.fault().around(port, counters);
    }

    private static void steer(LinuxSocket socket, int engines, Warnings warnings) {
        try {
            SocketOpener.steerByQueuePair(socket, engines);
        } catch (IOException e) {
            warnings.once("steer", "the kernel refuses to steer packets by queue pair (" + e.getMessage()
                + "): the engines forward packets to each other, which is slower; --engines 1 avoids it");
        }
    }

    private void start(RxeNicOptions options, PathMtu portMtu, SocketOpener opener, Warnings warnings)
        throws IOException {
        // Assumes that the peer's buffer is as large as ours. A few queue pairs must fit in it together.
        int windowBytes = Math.max(2 * PathMtu.MTU_4096.bytes(),
            Math.min(NicConfig.DEFAULT_WINDOW_BYTES, opener.receiveBufferBytes() / BUFFER_SHARES));
        nic = new Nic(new NicConfig(gids(), options.udpPort(), portMtu, options.engines(), windowBytes, InterfaceInfo.broadcasts()),
            entropy(options.seed()), List.copyOf(loops), multicastGroups(options, opener), counterFile);
        nic.clock().opened(SystemClock.nowNs(), SystemClock.epochNs());
        connections = new NicConnections(nic, local.address());
        for (int index = 0; index < loops.size(); index++) {
            Engine engine = nic.engine(index);
            engine.observe(new NicObserver(local.gid() + " " + udpPort, index, verdicts.get(index), capture));
            if (counterFile != null) {
                loops.get(index).restoreCountersWith(upkeep.counterFaults());
            }
            loops.get(index).attach(new ObservedEngine(engine, verdicts.get(index)), List.copyOf(loops));
        }
        for (EngineDriver loop : loops) {
            loop.start();
        }
    }

    /** Refers to no RxeNic, see {@link LeakHint}. */
    private MulticastGroups multicastGroups(RxeNicOptions options, SocketOpener opener) {
        CaptureFile ofNic = capture;
        Warnings toUser = warnings;
        List<NetCounters> ofEngines = List.copyOf(counters);
        List<FrameVerdict> verdictsOfEngines = List.copyOf(verdicts);
        return new MulticastGroups(local, options.udpPort(), opener,
            (socket, address, engine) -> layered(options, ofNic, makePort(options, toUser, socket, null, address, ofEngines.get(engine)),
                ofEngines.get(engine), verdictsOfEngines.get(engine)), List.copyOf(loops));
    }

    private static Entropy entropy(Long seed) {
        if (seed == null) {
            return new SecureRandom()::nextInt;
        }
        return new Random(seed)::nextInt;
    }

    /** The smallest of the ports, so that a queue pair can migrate between them. */
    private static PathMtu portMtu(RxeNicOptions options, List<InterfaceInfo> ports) {
        InterfaceInfo local = ports.stream().min(Comparator.comparingInt(InterfaceInfo::mtuBytes)).orElseThrow();
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
}
