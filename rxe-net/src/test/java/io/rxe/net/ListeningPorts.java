package io.rxe.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The TCP ports this network namespace listens on, from the kernel: a test that connected instead would be taken for the client. */
public final class ListeningPorts {
    private static final String LISTEN_STATE = "0A";

    private ListeningPorts() {
    }

    /** Whether a socket listens on a port, on any address. */
    public static boolean contains(int port) throws IOException {
        String wanted = String.format(":%04X", port);
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String row : Files.readAllLines(Path.of(table))) {
                String[] fields = row.trim().split(" +");
                if (fields[1].endsWith(wanted) && LISTEN_STATE.equals(fields[3])) {
                    return true;
                }
            }
        }
        return false;
    }
}
