package io.rxe.net;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.device.Nic;
import io.rxe.fault.TimedFault;
import io.rxe.fault.VerbFaults;
import io.rxe.net.drive.EngineDriver;
import io.rxe.net.host.HostName;
import io.rxe.net.host.Prerequisites;
import io.rxe.net.observe.CounterSums;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.port.Progress;
import io.rxe.verbs.Device;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.Consumer;

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
    private final NicAssembly.Parts parts;
    private final Nic nic;
    private final LeakHint leak;
    private volatile boolean closed;

    private RxeNic(NicAssembly.Parts parts, int udpPort) {
        this.parts = parts;
        this.nic = parts.nic();
        this.leak = LeakHint.of(this, parts.local().address().getHostAddress() + " UDP port " + udpPort, parts.warnings());
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
        // The channel of a file closes where an interrupted thread uses it: a NIC without capture, counters and port events.
        boolean isInterrupted = Thread.interrupted();
        try {
            return new RxeNic(NicAssembly.open(options), options.udpPort());
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
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
        return parts.connections().service();
    }

    /**
     * One place to wait for the completions, connection events and asynchronous events of this NIC; a new one with each call.
     *
     * @throws IllegalStateException if the NIC is closed.
     */
    public NicEvents events() {
        NicEvents events = new NicEvents(nic, parts.waiting()::remove);
        parts.waiting().add(events);
        if (closed) {
            events.close();
            throw new IllegalStateException(closedText(parts.local()));
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
        return HostName.resolve(host, parts.local().address());
    }

    /** What is thrown by calls after {@link #close}. */
    static String closedText(InterfaceInfo local) {
        return "the NIC at " + local.address().getHostAddress() + " is closed: open another";
    }

    /** The core, with its engines and their counters. */
    public Nic core() {
        return nic;
    }

    /** Address and interface of port 1. */
    public InterfaceInfo localInterface() {
        return parts.local();
    }

    /** What the system granted its sockets. */
    public SocketInfo socketInfo() {
        return parts.socketInfo();
    }

    /** The number of engines. */
    public int engines() {
        return parts.drivers().size();
    }

    /** Counters of one engine's sockets, 0 to engines - 1. */
    public NetCounters counters(int engine) {
        return parts.counters().get(engine);
    }

    /** One counter summed over all engines. */
    public long count(NetCounter counter) {
        return parts.counters().stream().mapToLong(one -> one.get(counter)).sum();
    }

    /** When the process exits, this NIC leaves its connections alone: the caller then closes it, behind all that may use them. */
    public void keepConnectionsAtExit() {
        parts.connections().keepAtExit();
    }

    /**
     * Closes connections, the device, the sockets and the threads; may be called twice. Peers receive a DREQ and have 200 ms to answer.
     * Threads that wait for events of this NIC wake up, see {@link CmEventChannel} and {@link NicEvents}. Whatever fails on the way is a
     * warning, and the rest is released all the same. A listener that keeps an engine is waited for two seconds, and its thread five; a
     * warning names it, and what it kept is released when it returns.
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
        parts.assembly().release();
    }

    /** All counters by name, also those that are 0, summed over the engines and their sockets; {@code drop_REASON} for drops. */
    public SortedMap<String, Long> countersByName() {
        return CounterSums.of(nic, parts.counters());
    }

    /** Writes what is buffered for the capture file, or in the capture ring, to the file; no effect without a capture. */
    public void writeCapture() {
        if (parts.capture() != null) {
            parts.capture().writeRing();
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
            throw new IllegalStateException(closedText(parts.local()));
        }
        return nic.progress().drive();
    }

    /**
     * How often each fault at the verbs struck, by its words, as of {@code io.rxe.net.fault.VerbsFaultSpec}, and whether each expectation
     * of a script was met, 0 or 1; empty for a NIC without.
     */
    public Map<String, Long> verbsFaults() {
        return nic.faults().counts();
    }

    /** What fails at the verbs on purpose. Adapters of foreign interfaces ask it in those of their calls that the core does not have. */
    public VerbFaults faults() {
        return nic.faults();
    }

    /**
     * Sets who learns of faults that this class has no event for: {@code DEVICE_REMOVAL} and {@code ADDR_CHANGE} of ids of librdmacm, and
     * what a script expected in vain. For the adapters of foreign interfaces; called on a thread of its own.
     */
    public void onVerbsFault(Consumer<TimedFault> events, Consumer<String> failures) {
        parts.faults().listen(events, failures);
    }

    /** Whether its engines have threads of their own; not with {@link Progress#MANUAL}. */
    public boolean hasThreads() {
        return nic.driver() == null;
    }

    /** Whether the caller runs on the thread of an engine of this NIC, as listeners of completions do. */
    public boolean isOnEngineThread() {
        return parts.drivers().stream().anyMatch(EngineDriver::isCurrent);
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String toString() {
        return nic + ", interface " + parts.local().name();
    }
}
