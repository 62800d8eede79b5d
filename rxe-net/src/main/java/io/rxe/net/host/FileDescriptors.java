package io.rxe.net.host;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file descriptors of this process. */
public final class FileDescriptors {
    /** Classes still to be loaded from jars, the counter file, a capture, the interface of a port. */
    private static final int SPARE = 7;
    /** epoll, eventfd, timerfd, the socket, and those of busy peers or the one of what is marked. */
    private static final int PER_ENGINE = 4;
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String OPEN_FILES = "Max open files";

    private FileDescriptors() {
    }

    /**
     * Checks that a NIC with this number of engines can be opened.
     *
     * @throws IOException that names use, limit and remedy.
     */
    public static void require(int engines) throws IOException {
        String[] open = new File("/proc/self/fd").list();
        require(open == null ? 0 : open.length, limit(), engines);
    }

    static void require(int open, long limit, int engines) throws IOException {
        int needed = SPARE + PER_ENGINE * engines;
        if (open + needed > limit) {
            throw new IOException("the process has " + open + " of " + limit + " file descriptors open, and a NIC of " + engines
                + (engines == 1 ? " engine" : " engines") + " needs up to " + needed + " more: raise the limit (ulimit -n "
                + Math.max(1024, Integer.highestOneBit(open + needed) << 1) + ") or close some");
        }
    }

    /** The soft limit; Long.MAX_VALUE if it is not known or there is none. */
    private static long limit() {
        List<String> lines;
        try {
            lines = Files.readAllLines(LIMITS);
        } catch (IOException e) {
            // No /proc: the limit shows when it is reached.
            return Long.MAX_VALUE;
        }
        return lines.stream().filter(line -> line.startsWith(OPEN_FILES))
            .map(line -> line.substring(OPEN_FILES.length()).trim().split(" +")[0])
            .filter(word -> word.matches("\\d+")).mapToLong(Long::parseLong).findFirst().orElse(Long.MAX_VALUE);
    }
}
