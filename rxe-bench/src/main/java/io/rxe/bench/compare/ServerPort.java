package io.rxe.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Whether a process's network namespace has an open port: Linux lists sockets for each process, as that process sees them. */
final class ServerPort {
    /** States of a TCP socket that listens and of a UDP socket without a peer. */
    private static final String LISTENING = "0A";
    private static final String UNCONNECTED = "07";
    private static final int ADDRESS_COLUMN = 1;
    private static final int STATE_COLUMN = 3;

    private ServerPort() {
    }

    /** Whether it has; a process that has ended has none. */
    static boolean isOpen(long pid, int port) {
        Path tables = Path.of("/proc", Long.toString(pid), "net");
        return isOpen(tables.resolve("tcp"), port, LISTENING) || isOpen(tables.resolve("tcp6"), port, LISTENING)
            || isOpen(tables.resolve("udp"), port, UNCONNECTED) || isOpen(tables.resolve("udp6"), port, UNCONNECTED);
    }

    private static boolean isOpen(Path table, int port, String state) {
        try {
            return isListed(Files.readAllLines(table), port, state);
        } catch (IOException e) {
            // Ended, or a kernel without IPv6.
            return false;
        }
    }

    /** Whether a table of sockets has a port in a state. The port is the local one, in hexadecimal behind the address. */
    static boolean isListed(List<String> lines, int port, String state) {
        String end = String.format(Locale.ROOT, ":%04X", port);
        for (String line : lines) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length > STATE_COLUMN && columns[ADDRESS_COLUMN].endsWith(end) && columns[STATE_COLUMN].equals(state)) {
                return true;
            }
        }
        return false;
    }
}
