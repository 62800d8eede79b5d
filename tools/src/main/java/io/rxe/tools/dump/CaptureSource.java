package io.rxe.tools.dump;

import io.rxe.tools.cli.ProcessEnd;
import io.rxe.tools.flow.TextSpool;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A capture that may be read twice: a file, or a pipe that is copied to a temporary file. One thread. */
final class CaptureSource implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final String file;
    private Path copy;

    /** @param file its name, or - for standard input. */
    CaptureSource(String file) {
        this.file = file;
    }

    /** Whether frames arrive while they are read. */
    boolean isStandardInput() {
        return "-".equals(file);
    }

    /** Opens the capture to read it once. */
    InputStream open() throws IOException {
        // Unbuffered: a packet in the pipe must be shown at once.
        return isStandardInput() ? System.in : new BufferedInputStream(Files.newInputStream(Path.of(file)), BUFFER_BYTES);
    }

    /** Opens the capture for one of several times; a pipe is copied, to its end, before the first. */
    InputStream openAgain() throws IOException {
        if (copy == null && (isStandardInput() || !Files.isRegularFile(Path.of(file)))) {
            try (InputStream pipe = open(); OutputStream target = newCopy()) {
                copy(pipe, target);
                ProcessEnd.inputEnded();
            }
        }
        return copy == null ? open() : new BufferedInputStream(Files.newInputStream(copy), BUFFER_BYTES);
    }

    private OutputStream newCopy() {
        try {
            copy = Files.createTempFile("rxe-capture", null);
            copy.toFile().deleteOnExit();
            return Files.newOutputStream(copy);
        } catch (IOException e) {
            throw TextSpool.cannotKeep("a copy of the pipe", e);
        }
    }

    private static void copy(InputStream pipe, OutputStream target) throws IOException {
        byte[] bytes = new byte[BUFFER_BYTES];
        for (int count = pipe.read(bytes); count >= 0; count = pipe.read(bytes)) {
            try {
                target.write(bytes, 0, count);
            } catch (IOException e) {
                throw TextSpool.cannotKeep("a copy of the pipe", e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (copy != null) {
            Files.deleteIfExists(copy);
        }
    }
}
