package io.rxe.tools.rdmacm;

import io.rxe.cm.PortSpace;
import io.rxe.tools.cli.NicSettings;
import io.rxe.verbs.QueuePairConfig;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Options of udaddy; a mixin. */
final class UdaddyOptions {
    /** Port of the service; udaddy has no option for it. */
    static final int DEFAULT_PORT = 7174;
    private static final int MAX_NODES = 256;
    private static final int MAX_MESSAGE_BYTES = 65_535;

    @Option(names = "-s", paramLabel = "ADDR", order = 1, description = "Address of the server; without it this is the server.")
    private String server;

    @Option(names = "-b", paramLabel = "ADDR", order = 2, description = "Local address to bind; the same as -d.")
    private String bound;

    @Option(names = "-c", paramLabel = "N", defaultValue = "1", order = 3,
        description = "Queue pairs on each side (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(names = "-C", paramLabel = "N", defaultValue = "10", order = 4,
        description = "Messages each way on each queue pair (default: ${DEFAULT-VALUE}).")
    private int messages;

    @Option(names = "-S", paramLabel = "BYTES", defaultValue = "100", order = 5,
        description = "Size of a message, at most the MTU (default: ${DEFAULT-VALUE}).")
    private int sizeBytes;

    @Option(names = "--service-port", paramLabel = "PORT", defaultValue = "" + DEFAULT_PORT, order = 6,
        description = "Port of the service; not an option of the original (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "-P", paramLabel = "SPACE", order = 20, description = "Port space: udp; there is no ipoib on RoCE.")
    private String portSpace;

    @Option(names = "-p", paramLabel = "NUMBER", order = 21, description = "Port space as a number: 0x111 for UDP.")
    private String portSpaceNumber;

    @Option(names = "-f", paramLabel = "FORMAT", order = 22,
        description = "Format of the addresses: name, ip, ipv6 or gid; all are recognised without it.")
    private String format;

    @Option(names = "-t", paramLabel = "TOS", order = 23, description = "Type of service; accepted, without effect.")
    private String typeOfService;

    /** Checks values that need no NIC. */
    void check(ConnectOptions connecting, NicSettings nic) {
        connecting.require("connections", nodes, 1, MAX_NODES);
        connecting.require("message count", messages, 0, QueuePairConfig.MAX_REQUESTS / 2);
        connecting.require("message size", sizeBytes, 0, MAX_MESSAGE_BYTES);
        connecting.require("service port", port, 1, 65_535);
        if (portSpace != null && !portSpace.toLowerCase(Locale.ROOT).startsWith("udp")
            || portSpaceNumber != null && !isUdp(portSpaceNumber)) {
            throw connecting.usage("port space " + (portSpace == null ? portSpaceNumber : portSpace)
                + ": RoCE has datagram services in UDP (0x" + Integer.toHexString(PortSpace.UDP.code()) + ") only");
        }
        if (format != null) {
            nic.notes().ignored("-f " + format, "the format of an address is recognised");
        }
        if (typeOfService != null) {
            nic.notes().ignored("-t " + typeOfService, "the NIC sets the type of service of its sockets");
        }
    }

    private static boolean isUdp(String number) {
        try {
            return Integer.decode(number) == PortSpace.UDP.code();
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Address of the server, or null when this is the server. */
    String server() {
        return server;
    }

    /** Local address, or null. */
    String bound() {
        return bound;
    }

    int nodes() {
        return nodes;
    }

    /** Messages each way; 0 if they would be empty, as in the original. */
    int messages() {
        return sizeBytes == 0 ? 0 : messages;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    int port() {
        return port;
    }
}
