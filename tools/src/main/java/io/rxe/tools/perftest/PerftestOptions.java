package io.rxe.tools.perftest;

import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.tools.perftest.output.OutputStyle;
import io.rxe.tools.perftest.output.SampleListing;
import io.rxe.tools.perftest.plan.PerftestAmount;
import io.rxe.tools.perftest.plan.PerftestKind;
import io.rxe.tools.perftest.plan.PerftestPath;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestQueues;
import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import java.nio.file.Path;
import java.security.SecureRandom;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of all eight tests that have an effect; a mixin beside {@link NicOptions}. */
final class PerftestOptions {
    private static final int DEFAULT_SEND_DEPTH = 128;
    private static final int DEFAULT_RECEIVE_DEPTH = 512;

    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Server to connect to; without it this is the server.")
    private String host;

    @Option(names = {"-a", "--all"}, order = 1, description = "Run sizes from 2 till 2^23.")
    private boolean all;

    @Option(names = {"-A", "--atomic_type"}, paramLabel = "TYPE", defaultValue = "FETCH_AND_ADD", order = 2,
        description = "CMP_AND_SWAP or FETCH_AND_ADD (default: ${DEFAULT-VALUE}).")
    private AtomicType atomicType;

    @Option(names = {"-b", "--bidirectional"}, order = 3, description = "Measure both directions at once.")
    private boolean bidirectional;

    @Option(names = {"-c", "--connection"}, paramLabel = "RC|UC|UD", defaultValue = "RC", order = 4,
        description = "Transport: RC for all, UC for send and write, UD for send (default: ${DEFAULT-VALUE}).")
    private QueuePairType transport;

    @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", defaultValue = "0", order = 5,
        description = "Run for this time instead of a number of messages.")
    private int durationSeconds;

    @Option(names = {"-H", "--report-histogram"}, order = 6, description = "Latency: print every measurement, ascending.")
    private boolean sorted;

    @Option(names = {"-U", "--report-unsorted"}, order = 7, description = "Latency: print every measurement in order.")
    private boolean unsorted;

    @Option(names = {"-I", "--inline_size"}, paramLabel = "BYTES", defaultValue = "0", order = 8,
        description = "Post messages up to this size inline (default: ${DEFAULT-VALUE}).")
    private int inlineBytes;

    @Option(names = {"-l", "--post_list"}, paramLabel = "N", defaultValue = "1", order = 9,
        description = "Post lists of N requests (default: ${DEFAULT-VALUE}).")
    private int postList;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", order = 10,
        description = "Path MTU: 256 to 4096 (default: the largest the interface carries); the smaller of both sides is used.")
    private Integer mtuBytes;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", order = 11,
        description = "Messages of each queue pair, at least 5 (default: 1000; ib_write_bw 5000).")
    private Integer iterations;

    @Option(names = {"-N", "--noPeak"}, order = 12, description = "Do not measure the peak (measured up to 20000 messages).")
    private boolean noPeak;

    @Option(names = {"-o", "--outs"}, paramLabel = "N", order = 13,
        description = "READs and atomics outstanding (default: what the device can).")
    private Integer outstandingReads;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "18515", order = 14,
        description = "TCP port to listen on or connect to (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-q", "--qp"}, paramLabel = "N", defaultValue = "1", order = 15,
        description = "Queue pairs, in bandwidth tests (default: ${DEFAULT-VALUE}).")
    private int queuePairs;

    @Option(names = {"-Q", "--cq-mod"}, paramLabel = "N", order = 16,
        description = "One completion for N requests (default: 100; 1 beyond 8192 bytes).")
    private Integer completionEvery;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", order = 17,
        description = "Receives to keep posted (default: " + DEFAULT_RECEIVE_DEPTH + ").")
    private Integer receiveDepth;

    @Option(names = {"-R", "--rdma_cm"}, order = 17, description = "Connect with connection management, as rdma_cm does; RC and UD.")
    private boolean managed;

    @Option(names = {"-z", "--com_rdma_cm"}, order = 17,
        description = "Exchange keys over a connection of connection management.")
    private boolean controlManaged;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 18, converter = SizeConverter.class,
        description = "Size of a message (default: 65536; latency 2; atomics always 8).")
    private Integer sizeBytes;

    @Option(names = {"-t", "--tx-depth"}, paramLabel = "N", order = 19,
        description = "Requests to keep outstanding (default: " + DEFAULT_SEND_DEPTH + "; latency 1).")
    private Integer sendDepth;

    @Option(names = {"-u", "--qp-timeout"}, paramLabel = "CODE", defaultValue = "14", order = 20,
        description = "Local ACK timeout 4.096 us x 2^CODE (default: ${DEFAULT-VALUE}).")
    private int timeoutCode;

    @Option(names = {"-w", "--limit_bw"}, paramLabel = "VALUE", order = 21,
        description = "Fail if the average bandwidth is lower; in the unit of the report.")
    private Double leastBandwidth;

    @Option(names = {"-y", "--limit_msgrate"}, paramLabel = "VALUE", order = 22,
        description = "Fail if the message rate is lower; in Mpps.")
    private Double leastRate;

    @Option(names = "--use-srq", order = 23, description = "One receive queue for all queue pairs.")
    private boolean sharedReceives;

    @Option(names = "--report_gbits", order = 24, description = "Bandwidth in Gbit/s instead of MiB/s.")
    private boolean gigabits;

    @Option(names = "--report-both", order = 25, description = "With -b: print each direction by itself as well.")
    private boolean showsBoth;

    @Option(names = "--output", paramLabel = "bandwidth|message_rate|latency", defaultValue = "full", order = 26,
        description = "Print only this number.")
    private OutputStyle style;

    @Option(names = "--json", paramLabel = "FILE", order = 27,
        description = "Write the results as JSON too; - prints them instead of the text.")
    private Path jsonFile;

    @Option(names = "--out_json", order = 28, description = "The same, to perftest_out.json.")
    private boolean outJson;

    @Option(names = "--out_json_file", paramLabel = "FILE", defaultValue = "perftest_out.json", order = 29,
        description = "The file for --out_json.")
    private Path outJsonFile;

    @Option(names = "--peer-udp-port", paramLabel = "PORT", order = 30,
        description = "UDP port of the peer's NIC (default: the same as ours).")
    private Integer peerUdpPort;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "60s", order = 31, converter = DurationConverter.class,
        description = "Give up after this time without progress (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    @Option(names = "--linger", paramLabel = "TIME", defaultValue = "300ms", order = 32, converter = DurationConverter.class,
        description = "ib_write_lat: keep answering the peer for this time after the end (default: ${DEFAULT-VALUE}).")
    private long lingerNs;

    /** The atomics, named as in the original. */
    enum AtomicType {
        CMP_AND_SWAP,
        FETCH_AND_ADD
    }

    /** Checks what can be checked without a device. */
    void check(PerftestKind kind) {
        if (port < 1 || port > 65535) {
            throw usageError("TCP port " + port + " is not in 1..65535");
        }
        if (kind.verb().name().equals("ATOMIC") && (sizeBytes != null && sizeBytes != Long.BYTES || all)) {
            throw usageError("atomics always move 8 bytes: leave -s and -a out");
        }
        if (!kind.isLatency() && (sorted || unsorted)) {
            throw usageError("-H and -U list latencies: a bandwidth test has none");
        }
        if (managed && transport == QueuePairType.UC) {
            throw usageError("-R connects RC and UD: for UC use -z, or neither");
        }
        plan(kind, PathMtu.MTU_256, 1, 1);
    }

    /**
     * The plan for a device.
     *
     * @throws ParameterException if the options contradict each other or exceed the device.
     */
    PerftestPlan plan(PerftestKind kind, Device device, NicOptions nic) {
        PathMtu portMtu = device.portMtu();
        PathMtu offer = mtuBytes == null ? portMtu : pathMtu();
        if (offer.bytes() > portMtu.bytes()) {
            throw usageError("path MTU " + offer.bytes() + " > port MTU " + portMtu.bytes() + " of " + device.gid()
                + ": lower -m or raise the interface MTU to " + (offer.bytes() + PathMtu.HEADROOM_BYTES));
        }
        int most = device.attributes().maxReadAtomicResponder();
        if (outstandingReads != null && outstandingReads > most) {
            throw usageError("outstanding reads (-o) " + outstandingReads + " > " + most + ", the limit of this device: lower -o");
        }
        long seed = nic.seed() == null ? new SecureRandom().nextLong() : nic.seed();
        return plan(kind, offer, peerUdpPort == null ? nic.udpPort() : peerUdpPort, seed, most);
    }

    private void plan(PerftestKind kind, PathMtu offer, int udpPort, int mostReads) {
        if (mtuBytes != null) {
            pathMtu();
        }
        plan(kind, offer, peerUdpPort == null ? udpPort : peerUdpPort, 0, mostReads);
    }

    private PerftestPlan plan(PerftestKind kind, PathMtu offer, int udpPort, long seed, int mostReads) {
        try {
            int size = all ? PerftestAmount.LARGEST_OF_ALL_BYTES : sizeBytes == null ? kind.defaultSizeBytes() : sizeBytes;
            PerftestAmount amount = new PerftestAmount(iterations == null ? kind.defaultIterations() : iterations, durationSeconds, size,
                all);
            return new PerftestPlan(kind, host == null, bidirectional, atomicType == AtomicType.CMP_AND_SWAP, amount,
                queues(kind, amount), new PerftestPath(transport, offer, outstandingReads == null ? mostReads : outstandingReads,
                    timeoutCode, udpPort), !noPeak, stallNs, seed);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    // As the original: limits depths to the number of messages, and moderates completions.
    private PerftestQueues queues(PerftestKind kind, PerftestAmount amount) {
        int most = durationSeconds > 0 ? Integer.MAX_VALUE : amount.iterations();
        int wantedSend = sendDepth == null ? DEFAULT_SEND_DEPTH : sendDepth;
        int send = kind.isLatency() ? 1 : Math.min(most, wantedSend);
        int receive = Math.min(most, receiveDepth == null ? DEFAULT_RECEIVE_DEPTH : receiveDepth);
        int every;
        if (completionEvery != null) {
            every = completionEvery;
        } else if (postList > 1) {
            every = postList;
        } else if (!all && amount.sizeBytes() > PerftestPlan.LARGE_MESSAGE_BYTES) {
            every = 1;
        } else {
            every = PerftestPlan.DEFAULT_COMPLETION_EVERY;
        }
        return new PerftestQueues(queuePairs, send, receive, every < 1 ? every : Math.min(every, Math.max(1, send)), postList, inlineBytes,
            sharedReceives);
    }

    private PathMtu pathMtu() {
        try {
            return PathMtu.ofBytes(mtuBytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    private ParameterException usageError(String message) {
        return new ParameterException(mixee.commandLine(), message);
    }

    /** The server's name, or null if this is the server. */
    String host() {
        return host;
    }

    int port() {
        return port;
    }

    /** Whether connection management connects the queue pairs of the test. */
    boolean isManaged() {
        return managed;
    }

    /** Whether connection management makes the control connection. */
    boolean isControlManaged() {
        return managed || controlManaged;
    }

    boolean isGigabits() {
        return gigabits;
    }

    boolean showsBoth() {
        return showsBoth;
    }

    OutputStyle style() {
        return style;
    }

    SampleListing listing() {
        return unsorted ? SampleListing.UNSORTED : sorted ? SampleListing.SORTED : SampleListing.NONE;
    }

    /** File for JSON, or null. */
    Path jsonFile() {
        return jsonFile != null ? jsonFile : outJson ? outJsonFile : null;
    }

    /** Least average bandwidth in the unit of the report, or null. */
    Double leastBandwidth() {
        return leastBandwidth;
    }

    /** Least message rate in Mpps, or null. */
    Double leastRate() {
        return leastRate;
    }

    long lingerNs() {
        return lingerNs;
    }
}
