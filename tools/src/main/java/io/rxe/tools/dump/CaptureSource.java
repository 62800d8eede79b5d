package io.rxe.tools.dump;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A capture that may be read twice: a file, or a pipe that is copied to a temporary file meanwhile. One thread. */
final class CaptureSource implements Closeable {
    private static final String STANDARD_INPUT = "-";
    private static final int BUFFER_BYTES = 1 << 16;

    private final String file;
    private Path copy;

    /** @param file its name, or - for standard input. */
    CaptureSource(String file) {
        this.file = file;
    }

    /** Whether frames arrive while they are read. */
    boolean isStandardInput() {
        return STANDARD_INPUT.equals(file);
    }

    /** Opens the capture to read it once. */
    InputStream open() throws IOException {
        // Unbuffered: a packet in the pipe must be shown at once.
        return isStandardInput() ? System.in : new BufferedInputStream(Files.newInputStream(Path.of(file)), BUFFER_BYTES);
    }

    /** Opens the capture for the first of two times. The stream must be read to its end. */
    InputStream openFirst() throws IOException {
        if (!isStandardInput() && Files.isRegularFile(Path.of(file))) {
            return open();
        }
        copy = Files.createTempFile("rxe-capture", null);
        copy.toFile().deleteOnExit();
        return new Copying(open(), new BufferedOutputStream(Files.newOutputStream(copy), BUFFER_BYTES), copy);
    }

    /** Opens the capture for the second time, once the first stream is closed. */
    InputStream openSecond() throws IOException {
        return copy == null ? open() : new BufferedInputStream(Files.newInputStream(copy), BUFFER_BYTES);
    }

    @Override
    public void close() throws IOException {
        if (copy != null) {
            Files.deleteIfExists(copy);
        }
    }

    /** Copies what is read. */
    private static final class Copying extends FilterInputStream {
        private final OutputStream target;
        private final Path path;

        Copying(InputStream in, OutputStream target, Path path) {
            super(in);
            this.target = target;
            this.path = path;
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            if (value >= 0) {
                write(new byte[] {(byte) value}, 0, 1);
            }
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = super.read(bytes, offset, length);
            write(bytes, offset, Math.max(0, count));
            return count;
        }

        private void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                target.write(bytes, offset, length);
            } catch (IOException e) {
                throw new IOException("cannot keep a copy of the pipe in " + path + " (" + e.getMessage()
                    + "): write the capture to a file first, or choose another folder with RXE_JAVA_OPTIONS=-Djava.io.tmpdir=DIR", e);
            }
        }

        @Override
        public void close() throws IOException {
            super.close();
            target.close();
        }
    }
}
