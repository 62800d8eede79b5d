package io.rxe.disni;

import io.rxe.net.process.Sentences;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which processors a thread may run on. Java can read that and not change it. */
public final class ThreadAffinity {
    private static final Path STATUS = Path.of("/proc/thread-self/status");
    private static final String ALLOWED = "Cpus_allowed:";

    private ThreadAffinity() {
    }

    /** Says, where sentences are asked for, that a wish is not met. */
    public static void refuse(long affinity) {
        if (affinity > 0) {
            Sentences.verbose(() -> "affinity 0x" + Long.toHexString(affinity) + " of " + Thread.currentThread().getName()
                + " is ignored: Java cannot bind a thread; start the program with taskset");
        }
    }

    /**
     * Returns a bit for each of the first 64 processors that the calling thread may run on.
     *
     * @throws UncheckedIOException where /proc cannot be read.
     */
    public static long current() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(ALLOWED)) {
                    return new BigInteger(line.substring(ALLOWED.length()).strip().replace(",", ""), 16).longValue();
                }
            }
            throw new IOException(STATUS + " has no line " + ALLOWED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
