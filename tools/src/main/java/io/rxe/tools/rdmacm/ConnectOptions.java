package io.rxe.tools.rdmacm;

import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.NicSettings;
import java.io.PrintWriter;
import java.net.InetAddress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options that the programs of rdmacm-utils do not have; a mixin. */
final class ConnectOptions {
    /** An idle peer is asked this often whether it is still there, because one that was killed sends no DREQ. */
    static final long KEEP_ALIVE_NS = 1_000_000_000L;

    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--connect-timeout", paramLabel = "TIME", defaultValue = "30s", order = 50, converter = DurationConverter.class,
        description = "Give up after TIME without a reply from the server; rdma_cm waits 98 s (default: ${DEFAULT-VALUE}).")
    private long connectNs;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "30s", order = 51, converter = DurationConverter.class,
        description = "Give up after TIME without activity of a connected peer (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    @Option(names = "--linger", paramLabel = "TIME", defaultValue = "300ms", order = 52, converter = DurationConverter.class,
        description = "Keep the NIC open for TIME after the end, to acknowledge the peer's last message again if our "
            + "acknowledgement was lost (default: ${DEFAULT-VALUE}).")
    private long lingerNs;

    /** Longest wait for the reply to a connection request, in nanoseconds. */
    long connectNs() {
        return connectNs;
    }

    long stallNs() {
        return stallNs;
    }

    long lingerNs() {
        return lingerNs;
    }

    /** Rejects a value out of range. */
    void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw usage(name + " " + value + " is not in " + least + ".." + most);
        }
    }

    ParameterException usage(String message) {
        return new ParameterException(mixee.commandLine(), message);
    }

    /**
     * Sets the address a server binds: the given one, or loopback, with a note.
     *
     * @param given  by an option of the program, or null.
     * @param option its name.
     */
    void bindServer(NicSettings nic, String given, String option, PrintWriter err) {
        if (given != null) {
            nic.address(given);
        } else if (!isDeviceGiven()) {
            nic.address(NicOptions.DEFAULT_ADDRESS);
            err.println("note: listening on " + NicOptions.DEFAULT_ADDRESS + ", reachable from this machine only; " + option
                + " ADDRESS listens on another");
        }
    }

    /** Sets the address a client binds: the given one, or that of the route to the server. */
    void bindClient(NicSettings nic, String given, InetAddress server) {
        if (given != null) {
            nic.address(given);
        } else if (!isDeviceGiven()) {
            nic.address(HostNames.localAddressFor(server));
        }
    }

    /** The local address, if the user gave one, or null. */
    String givenAddress(NicSettings nic, String given) {
        return given != null ? given : isDeviceGiven() ? nic.address() : null;
    }

    private boolean isDeviceGiven() {
        return mixee.commandLine().getParseResult().hasMatchedOption("--ib-dev");
    }
}
