package io.rxe.tools.pingpong;

import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.NicOptions;
import io.rxe.verbs.PathMtu;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options that all pingpongs have, {@code xsrq_pingpong} too; for use with {@link NicOptions}. */
abstract class CommonOptions {
    private static final int MAX_SIZE_BYTES = 1 << 30;

    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Server to connect to; without it this is the server.")
    private String host;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "18515", order = 1,
        description = "TCP port to listen on or connect to (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", defaultValue = "1024", order = 3,
        description = "Path MTU; must be the same at both ends (default: ${DEFAULT-VALUE}).")
    private int mtuBytes;

    @Option(names = {"-e", "--events"}, order = 6, description = "Sleep until a completion arrives, instead of polling.")
    private boolean events;

    @Option(names = "--peer-udp-port", paramLabel = "PORT", order = 8,
        description = "UDP port of the peer's NIC (default: the same as ours).")
    private Integer peerUdpPort;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "30s", order = 9, converter = DurationConverter.class,
        description = "Give up after TIME without any completion (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    // Accepted for compatibility, without effect; check() notes those given.
    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", order = 20, description = "Port of the device; there is only 1.")
    private Integer devicePort;

    @Option(names = {"-l", "--sl"}, paramLabel = "LEVEL", order = 21, description = "Service level; accepted, without effect.")
    private Integer serviceLevel;

    @Option(names = {"-o", "--odp"}, order = 22, description = "On-demand paging; accepted, without effect.")
    private boolean onDemandPaging;

    /** Checks ranges, and notes options without effect. */
    final void checkCommon(NicOptions nic) {
        require("TCP port", port, 1, 65535);
        require("message size", sizeBytes(), 0, MAX_SIZE_BYTES);
        checkOwn();
        require("iterations", iterations(), 1, Integer.MAX_VALUE);
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
    }

    /** Checks the ranges of what only this program has. */
    abstract void checkOwn();

    static void ignore(NicOptions nic, boolean given, String option, String why) {
        if (given) {
            nic.notes().ignored(option, why);
        }
    }

    final void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(mixee.commandLine(), name + " " + value + " is not in " + least + ".." + most);
        }
    }

    /** The server's name, or null when this is the server. */
    final String host() {
        return host;
    }

    final int port() {
        return port;
    }

    abstract int sizeBytes();

    /** Messages each way. */
    abstract int iterations();

    final PathMtu pathMtu() {
        try {
            return PathMtu.ofBytes(mtuBytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    final boolean isEvents() {
        return events;
    }

    /** UDP port of the peer's NIC. */
    final int peerUdpPort(int ownUdpPort) {
        return peerUdpPort == null ? ownUdpPort : peerUdpPort;
    }

    final long stallNs() {
        return stallNs;
    }
}
