package io.rxe.tools.pingpong;

import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.verbs.PathMtu;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of {@code xsrq_pingpong}, which differ from those of the other pingpongs; a mixin for use with {@link NicOptions}. */
final class XsrqOptions {
    private static final int MAX_SIZE_BYTES = 1 << 30;
    private static final int MAX_CLIENTS = 256;

    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Server to connect to; without it this is the server.")
    private String host;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "18515", order = 1,
        description = "TCP port to listen on or connect to (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 2, converter = SizeConverter.class, defaultValue = "4096",
        description = "Size of a message (default: ${DEFAULT-VALUE}).")
    private int sizeBytes;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", defaultValue = "1024", order = 3,
        description = "Path MTU; must be the same at both ends (default: ${DEFAULT-VALUE}).")
    private int mtuBytes;

    @Option(names = {"-c", "--clients"}, paramLabel = "N", defaultValue = "1", order = 4,
        description = "Server: clients to wait for. Client: how many clients this process is; they share an XRC domain. Up to 256"
            + " (default: ${DEFAULT-VALUE}).")
    private int clients;

    @Option(names = {"-n", "--num_tests"}, paramLabel = "N", defaultValue = "5", order = 5,
        description = "Messages each way for each client (default: ${DEFAULT-VALUE}).")
    private int iterations;

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
    void check(NicOptions nic) {
        require("TCP port", port, 1, 65535);
        require("message size", sizeBytes, 0, MAX_SIZE_BYTES);
        require("clients (-c)", clients, 1, MAX_CLIENTS);
        require("iterations", iterations, 1, Integer.MAX_VALUE);
        if (peerUdpPort != null) {
            require("peer UDP port", peerUdpPort, 1, 65535);
        }
        if (devicePort != null && devicePort != 1) {
            throw new ParameterException(mixee.commandLine(), "port " + devicePort
                + " does not exist: the device has one, number 1");
        }
        pathMtu();
        if (serviceLevel != null) {
            nic.notes().ignored("-l", "RoCEv2 has no service levels");
        }
        if (onDemandPaging) {
            nic.notes().ignored("-o", "all memory of a process is paged on demand");
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

    int clients() {
        return clients;
    }

    /** Messages each way for each client. */
    int iterations() {
        return iterations;
    }

    boolean isEvents() {
        return events;
    }

    /** UDP port of the peer's NIC. */
    int peerUdpPort(int ownUdpPort) {
        return peerUdpPort == null ? ownUdpPort : peerUdpPort;
    }

    long stallNs() {
        return stallNs;
    }
}
