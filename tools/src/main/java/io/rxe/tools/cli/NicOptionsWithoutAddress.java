package io.rxe.tools.cli;

import io.rxe.counters.NicCounter;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.net.port.Offload;
import io.rxe.net.port.Warnings;
import io.rxe.port.EcnOptions;
import io.rxe.port.Progress;
import io.rxe.tools.terminal.LongRun;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The options of a NIC except its address, whose option has different names in the programs we interoperate with: see {@link
 * NicOptions}. The UDP port is {@code --udp-port}, because {@code --port} is the TCP port of the pingpong and perftest programs;
 * commands without such a port add {@link UdpPortAlias}.
 */
public class NicOptionsWithoutAddress extends CommonNicOptions {
    private String address;
    private volatile boolean incomplete;

    @Option(names = "--engines", paramLabel = "N", defaultValue = "1", order = 102,
        description = "Engines of the NIC, one thread each (default: ${DEFAULT-VALUE}).")
    private int engines;

    @Option(names = "--spin", order = 103, description = "Poll without sleeping: lower latency, a whole core for each engine.")
    private boolean spin;

    private Progress progress = Progress.THREAD;

    @Option(names = "--progress", paramLabel = "thread|polling", defaultValue = "thread", order = 103,
        description = "Who drives an engine: its own thread, or the threads that poll its completions too (default: ${DEFAULT-VALUE}).")
    void progress(Progress value) {
        if (value == Progress.MANUAL) {
            throw new ParameterException(mixee.commandLine(), "--progress manual is for programs that drive the NIC themselves: use thread"
                + " or polling");
        }
        progress = value;
    }

    @Option(names = "--gso", paramLabel = "on|off|auto", defaultValue = "auto", order = 104,
        description = "Send several packets in one call (default: ${DEFAULT-VALUE}).")
    private Offload gso;

    @Option(names = "--gro", paramLabel = "on|off|auto", defaultValue = "auto", order = 105,
        description = "Receive several packets in one call (default: ${DEFAULT-VALUE}).")
    private Offload gro;

    @Option(names = "--reorder-bytes", paramLabel = "BYTES", order = 105, converter = SizeConverter.Large.class, defaultValue = "96m",
        description = "Most memory for packets that arrive behind a gap (default: ${DEFAULT-VALUE}).")
    private long reorderBytes;

    @Option(names = "--cnp-dscp", paramLabel = "0..63", defaultValue = "" + EcnOptions.DEFAULT_CNP_DSCP, order = 105,
        description = "DSCP of notifications (default: ${DEFAULT-VALUE}).")
    private int cnpDscp;

    @Option(names = "--capture-ring", paramLabel = "BYTES", order = 106, converter = SizeConverter.class,
        description = "With --capture: keep the latest packets in memory, and write them only when a queue pair fails.")
    private Integer captureRingBytes;

    public String address() {
        return address;
    }

    public void address(String value) {
        address = value;
    }

    public int udpPort() {
        return Objects.requireNonNullElse(udpPort, AddressVector.ROCE_PORT);
    }

    /** The P_Key table to open the NIC with. */
    public PartitionKeys partitionKeys() {
        return Objects.requireNonNullElse(partitionKeys, PartitionKeys.DEFAULT);
    }

    /** Whether packets are written to a file; it should hold only those of the run itself. */
    public boolean isCapturing() {
        return captureFile != null;
    }

    void udpPort(int value) {
        udpPort = value;
    }

    /** Whether the NIC could not write all of a file that was asked for. */
    public boolean isIncomplete() {
        return incomplete;
    }

    public boolean isVerbose() {
        return verbose;
    }

    /** The seed, or null for a random one. */
    public Long seed() {
        return seed;
    }

    public int engines() {
        return engines;
    }

    /** Whether the threads that poll drive the engines. */
    public boolean isPolled() {
        return progress == Progress.POLLING;
    }

    /** The options for {@link RxeNic}. */
    public RxeNicOptions nicOptions(PrintWriter err) {
        if (captureRingBytes != null && (captureRingBytes == 0 || !isCapturing())) {
            throw new ParameterException(mixee.commandLine(), "--capture-ring " + captureRingBytes + (isCapturing()
                ? " keeps nothing: give a size, or leave it out to write every packet" : " without --capture FILE"));
        }
        Long faultSeed = faultSeed(err);
        try {
            return RxeNicOptions.defaults(address).withUdpPort(udpPort()).withEngines(engines).withSpin(spin).withProgress(progress)
                .withGso(gso).withGro(gro).withReorderBytes(reorderBytes).withPartitionKeys(partitionKeys())
                .withEcn(EcnOptions.parse(Objects.requireNonNullElse(ecn, "off")).withCnpDscp(cnpDscp))
                .withCongestion(Objects.requireNonNullElse(congestion, CongestionOptions.DELAY))
                .withCaptureFile(captureFile).withCaptureRingBytes(Objects.requireNonNullElse(captureRingBytes, 0)).withSeed(seed)
                .withFault(fault == null ? null : FaultSpec.parse(fault).layer(faultSeed))
                .withVerbsFault(verbsFault == null ? null : VerbsFaultSpec.parse(verbsFault)
                    .faults(Objects.requireNonNullElse(faultSeed, 0L)))
                .withWarnings(Warnings.Sorted.noting(sentence -> err.println("warning: " + sentence), () -> incomplete = true));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    public RxeNic open(PrintWriter err) {
        return open(nicOptions(err));
    }

    /** Shows from now on, on a terminal, how many packets a NIC sends and receives; call it when there is a peer. */
    public void showProgress(RxeNic opened, PrintWriter err) {
        long sent = opened.core().counter(NicCounter.SENT_PKTS);
        long received = opened.core().counter(NicCounter.RCVD_PKTS);
        LongRun.begin(err, mixee.name(), () -> LongRun.packets(opened.core().counter(NicCounter.SENT_PKTS) - sent,
            opened.core().counter(NicCounter.RCVD_PKTS) - received));
    }

    /** Opens a NIC; reports a failure as one line. */
    public static RxeNic open(RxeNicOptions options) {
        try {
            return RxeNic.open(options);
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }
}
