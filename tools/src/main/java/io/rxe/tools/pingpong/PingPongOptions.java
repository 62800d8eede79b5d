package io.rxe.tools.pingpong;

import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairConfig;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of the pingpongs; a mixin for use with {@link NicOptions}. */
final class PingPongOptions {
    private static final int MAX_SIZE_BYTES = 1 << 30;

    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Server to connect to; without it this is the server.")
    private String host;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "18515", order = 1,
        description = "TCP port to listen on or connect to (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 2, converter = SizeConverter.class,
        description = "Size of a message (default: 4096; datagrams 1024).")
    private Integer sizeBytes;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", defaultValue = "1024", order = 3,
        description = "Path MTU; must be the same at both ends (default: ${DEFAULT-VALUE}).")
    private int mtuBytes;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", defaultValue = "500", order = 4,
        description = "Number of receives to post (default: ${DEFAULT-VALUE}).")
    private int receiveDepth;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", defaultValue = "1000", order = 5,
        description = "Messages each way (default: ${DEFAULT-VALUE}).")
    private int iterations;

    @Option(names = {"-e", "--events"}, order = 6, description = "Sleep until a completion arrives, instead of polling.")
    private boolean events;

    @Option(names = {"-c", "--chk"}, order = 7, description = "Validate the received data.")
    private boolean validate;

    @Option(names = "--peer-udp-port", paramLabel = "PORT", order = 8,
        description = "UDP port of the peer's NIC (default: the same as ours).")
    private Integer peerUdpPort;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "30s", order = 9,
        converter = DurationConverter.class,
        description = "Give up after TIME without any completion (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    @Option(names = "--linger", paramLabel = "TIME", defaultValue = "300ms", order = 10,
        converter = DurationConverter.class,
        description = "Keep the NIC open for TIME after the end, to acknowledge the peer's last message again if our "
            + "acknowledgement was lost (default: ${DEFAULT-VALUE}).")
    private long lingerNs;

    // Accepted for compatibility, without effect; check() notes those given.
    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", order = 20, description = "Port of the device; there is only 1.")
    private Integer devicePort;

    @Option(names = {"-l", "--sl"}, paramLabel = "LEVEL", order = 21, description = "Service level; accepted, without effect.")
    private Integer serviceLevel;

    @Option(names = {"-o", "--odp"}, order = 22, description = "On-demand paging; accepted, without effect.")
    private boolean onDemandPaging;

    @Option(names = {"-O", "--iodp"}, order = 23, description = "Implicit on-demand paging; accepted, without effect.")
    private boolean implicitOnDemandPaging;

    @Option(names = {"-P", "--prefetch"}, order = 24, description = "Prefetch memory; accepted, without effect.")
    private boolean prefetch;

    @Option(names = {"-t", "--ts"}, order = 25, description = "Completion timestamps; accepted, without effect.")
    private boolean timestamps;

    @Option(names = {"-j", "--dm"}, order = 26, description = "Device memory; accepted, without effect.")
    private boolean deviceMemory;

    @Option(names = {"-N", "--new_send"}, order = 27, description = "New posting interface; accepted, without effect.")
    private boolean newSend;

    /** Checks ranges, and notes options without effect. */
    void check(NicOptions nic, PingPongKind kind) {
        if (sizeBytes == null) {
            sizeBytes = kind.defaultSizeBytes();
        }
        require("TCP port", port, 1, 65535);
        require("message size", sizeBytes, 0, MAX_SIZE_BYTES);
        require("rx-depth", receiveDepth, 1, QueuePairConfig.MAX_REQUESTS);
        require("iterations", iterations, 1, Integer.MAX_VALUE);
        if (peerUdpPort != null) {
            require("peer UDP port", peerUdpPort, 1, 65535);
        }
        if (devicePort != null && devicePort != 1) {
            throw new ParameterException(mixee.commandLine(), "port " + devicePort
                + " does not exist: the device has one, number 1");
        }
        pathMtu();
        ignore(nic, serviceLevel != null, "-l", "RoCEv2 has no service levels");
        ignore(nic, onDemandPaging, "-o", "all memory of a process is paged on demand");
        ignore(nic, implicitOnDemandPaging, "-O", "all memory of a process is paged on demand");
        ignore(nic, prefetch, "-P", "all memory of a process is paged on demand");
        ignore(nic, timestamps, "-t", "completions carry no timestamps");
        ignore(nic, deviceMemory, "-j", "the device has no memory of its own");
        ignore(nic, validate && !kind.hasValidation(), "-c", "ibv_srq_pingpong has nothing to compare");
        ignore(nic, newSend, "-N", "there is only one way to post");
    }

    private static void ignore(NicOptions nic, boolean given, String option, String why) {
        if (given) {
            nic.notes().ignored(option, why);
        }
    }

    private void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(mixee.commandLine(), name + " " + value + " is not in " + least + ".." + most);
        }
    }

    /** The server's name, or null when this is the server. */
    String host() {
        return host;
    }

    int port() {
        return port;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    PathMtu pathMtu() {
        try {
            return PathMtu.ofBytes(mtuBytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    int receiveDepth() {
        return receiveDepth;
    }

    int iterations() {
        return iterations;
    }

    boolean isEvents() {
        return events;
    }

    boolean isValidate() {
        return validate;
    }

    /** UDP port of the peer's NIC. */
    int peerUdpPort(int ownUdpPort) {
        return peerUdpPort == null ? ownUdpPort : peerUdpPort;
    }

    long stallNs() {
        return stallNs;
    }

    long lingerNs() {
        return lingerNs;
    }
}
