package io.rxe.net;

import io.rxe.device.NicConfig;
import io.rxe.fault.VerbFaults;
import io.rxe.net.observe.CounterFile;
import io.rxe.net.observe.FileFailure;
import io.rxe.net.port.HeaderReceive;
import io.rxe.net.port.Offload;
import io.rxe.net.port.PortLayer;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.SocketSettings;
import io.rxe.port.EcnOptions;
import io.rxe.port.Progress;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a NIC is opened. Start from {@link #defaults} and change what differs.
 *
 * @param address            local address, host name or interface to bind; see {@link InterfaceInfo#of(String)}. Several with commas
 *                           between them are port 1, port 2 and so on, for automatic path migration; at most 16.
 * @param udpPort            UDP port, 1 to 65535; 4791 on every real network.
 * @param engines            event loops, each with a socket and an engine of its own, 1 to 64.
 * @param spin               whether the loops poll without ever sleeping.
 * @param gso                whether several frames leave in one send.
 * @param gro                whether several frames arrive in one receive.
 * @param receiveBufferBytes socket receive buffer asked for, in bytes of payload.
 * @param sendBufferBytes    socket send buffer asked for, in bytes of payload.
 * @param portMtu            port MTU; null takes the largest the interface carries; a greater one is rejected.
 * @param captureFile        pcapng file that gets every frame, or null. Where another NIC writes it, here or in another process,
 *                           {@code run-2.pcapng} beside {@code run.pcapng}, or the next number; a warning names it.
 * @param captureRingBytes   0 writes every frame at once; else the size of a ring in memory that keeps the latest frames and is written
 *                           only when a queue pair fails.
 * @param counterFile        whether other processes can read the counters of this one; see {@link CounterFile}.
 * @param fault              puts a layer around each port that loses, delays or corrupts frames; null for none.
 *                           {@code io.rxe.net.fault.FaultSpec} makes one.
 * @param seed               makes queue pair numbers, PSNs and keys repeatable, for tests; null draws them from the system's generator.
 * @param warnings           gets a sentence when something is not as asked for; called from any thread.
 * @param progress           who drives the engines: their own threads, threads that poll completion queues too, or only the application's.
 * @param reorderBytes       most bytes of memory for requests that arrive behind a gap, of all engines together; one queue pair may hold
 *                           a third of it. It is allocated only while such requests arrive.
 * @param partitionKeys      the P_Key table of each port, 1 to {@link PartitionKeys#MAX_KEYS} entries; queue pairs choose one by its index,
 *                           connections the first unless told otherwise. The default, 0xFFFF alone, is what rdma_rxe has.
 * @param ecn                whether packets may be marked in the network, and peers are notified of marks.
 * @param congestion         the congestion controller of queue pairs that choose none with {@code QueuePairConfig.withCongestion}.
 * @param verbsFault         what fails at the verbs on purpose, in one NIC, as {@code io.rxe.net.fault.VerbsFaultSpec} makes it; null for
 *                           nothing.
 * @param headers            native code that receives with traffic classes, which captures and the GRH then have; null for none.
 */
public record RxeNicOptions(String address, int udpPort, int engines, boolean spin, Offload gso, Offload gro,
                            int receiveBufferBytes, int sendBufferBytes, PathMtu portMtu, Path captureFile,
                            long captureRingBytes, boolean counterFile, PortLayer fault, Long seed, Consumer<String> warnings,
                            Progress progress, long reorderBytes, PartitionKeys partitionKeys, EcnOptions ecn,
                            CongestionOptions congestion, VerbFaults verbsFault, HeaderReceive headers) {
    /** Most engines one NIC can have. */
    public static final int MAX_ENGINES = 64;
    /** Smallest capture ring: a few batches. */
    public static final long MIN_CAPTURE_RING_BYTES = 1 << 18;
    /** Largest capture ring. */
    public static final long MAX_CAPTURE_RING_BYTES = 1 << 30;
    /** Default socket buffers: what Linux allows an ordinary user on most machines. */
    public static final int DEFAULT_BUFFER_BYTES = 4 << 20;

    /** @throws IllegalArgumentException for a value out of range. */
    public RxeNicOptions {
        Objects.requireNonNull(address, "the address is null: give a local address, host name or interface");
        Objects.requireNonNull(gso, "gso is null: use AUTO, ON or OFF");
        Objects.requireNonNull(gro, "gro is null: use AUTO, ON or OFF");
        Objects.requireNonNull(warnings, "the consumer of warnings is null: give one that ignores them instead");
        Objects.requireNonNull(progress, "progress is null: use THREAD, POLLING or MANUAL");
        Objects.requireNonNull(partitionKeys, "the P_Key table is null: give PartitionKeys.DEFAULT");
        Objects.requireNonNull(ecn, "ecn is null: use EcnOptions.OFF");
        Objects.requireNonNull(congestion, "congestion is null: use CongestionOptions.DELAY");
        if (address.isBlank()) {
            throw new IllegalArgumentException("the address is empty: give a local address, host name or interface");
        }
        if (udpPort < 1 || udpPort > 65535) {
            throw new IllegalArgumentException("UDP port " + udpPort + " is not in 1..65535: RoCEv2 uses "
                + AddressVector.ROCE_PORT);
        }
        if (engines < 1 || engines > MAX_ENGINES) {
            throw new IllegalArgumentException("engines " + engines + " is not in 1.." + MAX_ENGINES
                + ": use at most one for each core");
        }
        if (captureFile != null) {
            FileFailure.named("the capture", captureFile);
        }
        NicConfig.checkReorderBytes(reorderBytes, engines);
        checkBuffer("receive", receiveBufferBytes);
        checkBuffer("send", sendBufferBytes);
        if (captureRingBytes != 0 && (captureRingBytes < MIN_CAPTURE_RING_BYTES || captureRingBytes > MAX_CAPTURE_RING_BYTES)) {
            throw new IllegalArgumentException("capture ring of " + captureRingBytes + " bytes is not in " + MIN_CAPTURE_RING_BYTES
                + ".." + MAX_CAPTURE_RING_BYTES + ", it is kept in memory: choose a size in that range, or 0 to write every frame at once");
        }
    }

    /** Options for most uses: one engine that sleeps when idle, port 4791, offloads where the kernel has them. */
    public static RxeNicOptions defaults(String address) {
        return new RxeNicOptions(address, AddressVector.ROCE_PORT, 1, false, Offload.AUTO, Offload.AUTO, DEFAULT_BUFFER_BYTES,
            DEFAULT_BUFFER_BYTES, null, null, 0, true, null, null, Warnings.toSystemLogger(), Progress.THREAD,
            NicConfig.DEFAULT_REORDER_BYTES, PartitionKeys.DEFAULT, EcnOptions.OFF, CongestionOptions.DELAY, null, null);
    }

    public RxeNicOptions withAddress(String value) {
        return new RxeNicOptions(value, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withUdpPort(int value) {
        return new RxeNicOptions(address, value, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withEngines(int value) {
        return new RxeNicOptions(address, udpPort, value, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withSpin(boolean value) {
        return new RxeNicOptions(address, udpPort, engines, value, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withGso(Offload value) {
        return new RxeNicOptions(address, udpPort, engines, spin, value, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withGro(Offload value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, value, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withReceiveBufferBytes(int value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, value,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withSendBufferBytes(int value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            value, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withPortMtu(PathMtu value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, value, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withCaptureFile(Path value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, value, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withCaptureRingBytes(long value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, value, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withCounterFile(boolean value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, value, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withFault(PortLayer value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, value, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withSeed(Long value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, value, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withWarnings(Consumer<String> value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, value, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withProgress(Progress value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, value, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withReorderBytes(long value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, value,
            partitionKeys, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withPartitionKeys(PartitionKeys value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            value, ecn, congestion, verbsFault, headers);
    }

    public RxeNicOptions withEcn(EcnOptions value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, value, congestion, verbsFault, headers);
    }

    public RxeNicOptions withCongestion(CongestionOptions value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, value, verbsFault, headers);
    }

    public RxeNicOptions withVerbsFault(VerbFaults value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, value, headers);
    }

    public RxeNicOptions withHeaders(HeaderReceive value) {
        return new RxeNicOptions(address, udpPort, engines, spin, gso, gro, receiveBufferBytes,
            sendBufferBytes, portMtu, captureFile, captureRingBytes, counterFile, fault, seed, warnings, progress, reorderBytes,
            partitionKeys, ecn, congestion, verbsFault, value);
    }

    /** What fails at the verbs. */
    VerbFaults faults() {
        return verbsFault == null ? VerbFaults.NONE : verbsFault;
    }

    /** @throws IllegalArgumentException when one option needs another that is not set. */
    void checkComplete() {
        if (captureRingBytes != 0 && captureFile == null) {
            throw new IllegalArgumentException("capture ring of " + captureRingBytes + " bytes without a capture file: set one");
        }
        if (progress != Progress.THREAD && spin) {
            throw new IllegalArgumentException("spin is for loops that drive their engines alone, progress " + progress
                + " for threads that poll: choose one of the two");
        }
    }

    /** The part of the options that the sockets need. */
    SocketSettings socketSettings() {
        return new SocketSettings(engines > 1 || ecn.notificationPoint(), spin || progress == Progress.MANUAL,
            progress == Progress.POLLING, gso, gro, receiveBufferBytes, sendBufferBytes, headers);
    }

    private static void checkBuffer(String which, int bytes) {
        if (bytes < 65536) {
            throw new IllegalArgumentException(which + " buffer of " + bytes
                + " bytes < 65536: a batch of frames would not fit");
        }
    }
}
