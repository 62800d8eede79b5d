package io.rxe.tools.rdmacm;

import io.rxe.tools.cli.NicSettings;
import picocli.CommandLine.Option;

/**
 * Options of rping; a mixin. As {@code -d} prints every step, the NIC's address is {@code -a} of the server, {@code -I} of the
 * client, or {@code --ib-dev}; {@code -v} prints the pings.
 */
final class RpingOptions extends NicSettings {
    @Option(names = "-s", order = 1, description = "Run as server.")
    private boolean server;

    @Option(names = "-c", order = 2, description = "Run as client.")
    private boolean client;

    @Option(names = "-a", paramLabel = "ADDR", order = 3,
        description = "Address of the server: the client connects to it, the server's NIC binds it.")
    private String address;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7174", order = 4, description = "Port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "-I", paramLabel = "ADDR", order = 5,
        description = "Local address of the client (default: that of the route to the server).")
    private String source;

    @Option(names = "-C", paramLabel = "N", defaultValue = "0", order = 6,
        description = "Number of pings; 0 = until interrupted (default: ${DEFAULT-VALUE}).")
    private int count;

    @Option(names = "-S", paramLabel = "BYTES", defaultValue = "64", order = 7,
        description = "Size of a ping, " + PingText.MIN_SIZE_BYTES + " to " + PingText.MAX_SIZE_BYTES + " (default: ${DEFAULT-VALUE}).")
    private int sizeBytes;

    @Option(names = "-V", order = 8, description = "Compare the returned data.")
    private boolean validate;

    @Option(names = "-d", order = 9, description = "Print every step.")
    private boolean debug;

    @Option(names = "-P", order = 10, description = "Server: serve any number of clients, until interrupted.")
    private boolean persistent;

    @Option(names = "-q", order = 11, description = "Bring the queue pair to RTS in this program instead of in connection management.")
    private boolean selfModified;

    // rping uses -V, so there is no standard help mixin.
    @Option(names = {"-h", "--help"}, usageHelp = true, order = 12, description = "Show this help message and exit.")
    private boolean help;

    @Option(names = "--ib-dev", paramLabel = "ADDR|IFNAME", order = 100,
        description = "Local address the NIC binds; the same as -a of a server and -I of a client.")
    void device(String value) {
        address(value);
    }

    /** Checks combinations of options. */
    void check(ConnectOptions options) {
        if (server == client) {
            throw options.usage(server ? "-s and -c exclude each other: choose one"
                : "-s (server) or -c (client) is missing");
        }
        if (client && address == null) {
            throw options.usage("-c needs -a ADDR, the address of the server");
        }
        options.require("port", port, 1, 65_535);
        options.require("count", count, 0, Integer.MAX_VALUE);
        options.require("size", sizeBytes, PingText.MIN_SIZE_BYTES, PingText.MAX_SIZE_BYTES);
        ignore(server && source != null, "-I", "a server binds -a");
        ignore(client && persistent, "-P", "it is an option of servers");
        ignore(server && count != 0, "-C", "the client decides when to stop");
        ignore(server && validate, "-V", "the client compares");
    }

    private void ignore(boolean given, String option, String why) {
        if (given) {
            notes().ignored(option, why);
        }
    }

    boolean isServer() {
        return server;
    }

    /** Address of the server; may be null for a server. */
    String serverAddress() {
        return address;
    }

    int port() {
        return port;
    }

    /** Local address of the client, or null. */
    String source() {
        return source;
    }

    int count() {
        return count;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    boolean isValidate() {
        return validate;
    }

    boolean isDebug() {
        return debug;
    }

    boolean isPersistent() {
        return persistent;
    }

    boolean isSelfModified() {
        return selfModified;
    }
}
