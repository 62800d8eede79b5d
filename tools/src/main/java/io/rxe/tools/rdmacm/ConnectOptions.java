package io.rxe.tools.rdmacm;

import io.rxe.tools.DurationConverter;
import io.rxe.tools.NicOptions;
import io.rxe.tools.NicSettings;
import java.io.PrintWriter;
import java.net.InetAddress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of ours that the programs of rdmacm-utils do not have; a mixin. */
final class ConnectOptions {
    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--connect-timeout", paramLabel = "TIME", defaultValue = "30s", order = 50, converter = DurationConverter.class,
        description = "Give up when the server does not answer for so long; rdma_cm waits 98 s (default: ${DEFAULT-VALUE}).")
    private long connectNs;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "30s", order = 51, converter = DurationConverter.class,
        description = "Give up when a connected peer does nothing for so long (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    @Option(names = "--linger", paramLabel = "TIME", defaultValue = "300ms", order = 52, converter = DurationConverter.class,
        description = "Keep answering the peer for so long after the end: its last message may have to come again "
            + "(default: ${DEFAULT-VALUE}).")
    private long lingerNs;

    /** Longest wait for the answer to a request, in nanoseconds. */
    long connectNs() {
        return connectNs;
    }

    long stallNs() {
        return stallNs;
    }

    long lingerNs() {
        return lingerNs;
    }

    /** Complains about a value out of range. */
    void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw usage(name + " " + value + " is not in " + least + ".." + most);
        }
    }

    ParameterException usage(String message) {
        return new ParameterException(mixee.commandLine(), message);
    }

    /**
     * The address a server binds: what was given, or that of the machine itself, with a note.
     *
     * @param given  by an option of the program, or null.
     * @param option its name.
     */
    void bindServer(NicSettings nic, String given, String option, PrintWriter err) {
        if (given != null) {
            nic.address(given);
        } else if (!isDeviceGiven()) {
            nic.address(NicOptions.DEFAULT_ADDRESS);
            err.println("note: listening on " + NicOptions.DEFAULT_ADDRESS + ", which only this machine reaches; " + option
                + " ADDRESS listens on another");
        }
    }

    /** The address a client binds: what was given, or the one that leads to the server. */
    void bindClient(NicSettings nic, String given, InetAddress server) {
        if (given != null) {
            nic.address(given);
        } else if (!isDeviceGiven()) {
            nic.address(HostNames.localAddressTowards(server));
        }
    }

    /** The local address as far as the user gave one, or null. */
    String givenAddress(NicSettings nic, String given) {
        return given != null ? given : isDeviceGiven() ? nic.address() : null;
    }

    private boolean isDeviceGiven() {
        return mixee.commandLine().getParseResult().hasMatchedOption("--ib-dev");
    }
}
