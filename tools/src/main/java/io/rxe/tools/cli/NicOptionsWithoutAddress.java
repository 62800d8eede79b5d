package io.rxe.tools.cli;

import io.rxe.counters.NicCounter;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.net.port.Offload;
import io.rxe.port.EcnOptions;
import io.rxe.port.Progress;
import io.rxe.tools.terminal.LongRun;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * The options of a NIC except its address, whose option has different names in the programs we interoperate with: see {@link
 * NicOptions}. The UDP port is {@code --udp-port}, because {@code --port} is the TCP port of the pingpong and perftest programs;
 * commands without such a port add {@link UdpPortAlias}.
 */
public class NicOptionsWithoutAddress {
    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    private String address;

    @Option(names = "--udp-port", paramLabel = "PORT", defaultValue = "" + AddressVector.ROCE_PORT, order = 101,
        description = "UDP port the NIC binds (default: ${DEFAULT-VALUE}).")
    private int udpPort;

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

    @Option(names = "--reorder-bytes", paramLabel = "BYTES", order = 105, converter = SizeConverter.class, defaultValue = "96m",
        description = "Most memory for packets that arrive behind a gap (default: ${DEFAULT-VALUE}).")
    private int reorderBytes;

    private PartitionKeys partitionKeys = PartitionKeys.DEFAULT;

    @Option(names = "--pkeys", paramLabel = "P_KEY[,P_KEY...]", defaultValue = "0xffff", order = 105,
        description = "P_Key table of the NIC, at most 128; the command uses the first (default: ${DEFAULT-VALUE}). Both ends must be in"
            + " the same partition, and one a full member: 0x8000 and above.")
    void partitionKeys(String list) {
        partitionKeys = OptionText.parse(mixee.commandLine(), "--pkeys: ", PartitionKeys::parse, list);
    }

    /** Whom marks are notified to. */
    private enum EcnMode {
        OFF, ON, ALL
    }

    @Option(names = "--ecn", paramLabel = "off|on|all", defaultValue = "off", order = 105,
        description = "Let routers mark data instead of dropping it, and notify peers of marks: rxe, or all, which must be adapters then"
            + " (default: ${DEFAULT-VALUE}).")
    private EcnMode ecn;

    @Option(names = "--cnp-dscp", paramLabel = "0..63", defaultValue = "" + EcnOptions.DEFAULT_CNP_DSCP, order = 105,
        description = "DSCP of notifications (default: ${DEFAULT-VALUE}).")
    private int cnpDscp;

    private CongestionOptions congestion = CongestionOptions.DELAY;

    @Option(names = "--cc", paramLabel = "delay|dcqcn|none", defaultValue = "delay", order = 105,
        description = "Congestion controller: follow how long packets wait, the marks of routers, or nothing (default: ${DEFAULT-VALUE})."
            + " Parameters of adapters follow dcqcn: dcqcn,rpg_ai_rate=20mbit")
    void congestion(String text) {
        congestion = OptionText.parse(mixee.commandLine(), "--cc: ", CongestionOptions::parse, text);
    }

    @Option(names = "--capture", paramLabel = "FILE.pcapng", order = 106,
        description = "Write every packet sent and received to a file that Wireshark can read.")
    private Path captureFile;

    @Option(names = "--capture-ring", paramLabel = "BYTES", order = 106, converter = SizeConverter.class, defaultValue = "0",
        description = "With --capture: keep the latest packets in memory, and write them only when a queue pair fails.")
    private int captureRingBytes;

    @Option(names = "--fault", paramLabel = "SPEC", order = 107, converter = FaultConverter.class,
        description = "Inject faults in both directions, in netem's syntax: loss 3%%, duplicate 1%%, reorder 10%% 25%%, "
            + "delay 1ms 200us, corrupt 0.1%%, rate 1gbit, limit 1000, separated by spaces. --seed makes them repeatable.")
    private FaultSpec fault;

    private VerbsFaultSpec verbsFault;

    @Option(names = "--verbs-fault", paramLabel = "SPEC", order = 107,
        description = "Make verbs, requests, queue pairs, the port or connections fail: 'poll_cq: status=RETRY_EXC_ERR nth 1000'. See"
            + " docs/run.md.")
    void verbsFault(String text) {
        verbsFault = OptionText.parse(mixee.commandLine(), "--verbs-fault: ", VerbsFaultSpec::parse, text);
    }

    @Option(names = "--seed", paramLabel = "N", order = 108,
        description = "Seed of everything random, to repeat a run: data, PSNs, queue pair numbers, keys.")
    private Long seed;

    @Option(names = {"-v", "--verbose"}, order = 110, description = "Print more; show the stack trace of an error.")
    private boolean verbose;

    /** The address given. */
    public String address() {
        return address;
    }

    /** Replaces the address. */
    public void address(String value) {
        address = value;
    }

    /** The UDP port to bind. */
    public int udpPort() {
        return udpPort;
    }

    void udpPort(int value) {
        udpPort = value;
    }

    public boolean isVerbose() {
        return verbose;
    }

    /** The P_Key table to open the NIC with. */
    public PartitionKeys partitionKeys() {
        return partitionKeys;
    }

    /** Whether packets are written to a file; it should hold only those of the run itself. */
    public boolean isCapturing() {
        return captureFile != null;
    }

    /** Number of engines. */
    public int engines() {
        return engines;
    }

    /** Whether the threads that poll drive the engines. */
    public boolean isPolled() {
        return progress == Progress.POLLING;
    }

    /** The seed, or null for a random one. */
    public Long seed() {
        return seed;
    }

    /** The options for {@link RxeNic}. */
    public RxeNicOptions nicOptions(PrintWriter err) {
        if (captureRingBytes != 0 && captureFile == null) {
            throw new ParameterException(mixee.commandLine(), "--capture-ring " + captureRingBytes + " without --capture FILE");
        }
        boolean isRandom = fault != null || verbsFault != null && verbsFault.toString().indexOf('%') >= 0;
        long faultSeed = seed != null ? seed : new SecureRandom().nextInt(Integer.MAX_VALUE);
        if (isRandom && seed == null) {
            err.println("note: faults are random; --seed " + faultSeed + " repeats them");
        }
        try {
            return RxeNicOptions.defaults(address).withUdpPort(udpPort).withEngines(engines).withSpin(spin).withProgress(progress)
                .withGso(gso).withGro(gro).withReorderBytes(reorderBytes).withPartitionKeys(partitionKeys)
                .withEcn(EcnOptions.parse(ecn.name()).withCnpDscp(cnpDscp)).withCongestion(congestion)
                .withCaptureFile(captureFile).withCaptureRingBytes(captureRingBytes).withSeed(seed)
                .withFault(fault == null ? null : fault.layer(faultSeed))
                .withVerbsFault(verbsFault == null ? null : verbsFault.faults(faultSeed))
                .withWarnings(sentence -> err.println("warning: " + sentence));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    /** Opens the NIC. */
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
