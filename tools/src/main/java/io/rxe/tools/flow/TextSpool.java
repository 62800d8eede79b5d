package io.rxe.tools.flow;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Texts that grow at the same time and may together be larger than the memory: all but the end of each is kept in one temporary file,
 * which is created when it is first needed and has no name then.
 */
public final class TextSpool implements Closeable {
    /** What a text keeps in memory at most. */
    private static final int PART_CHARS = 2048;

    private FileChannel file;
    private long end;

    /** Creates a text, empty. */
    Text open() {
        return new Text();
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    private long write(byte[] part) {
        try {
            if (file == null) {
                file = FileChannel.open(Files.createTempFile("rxe-flow", null), StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            }
            long at = end;
            ByteBuffer bytes = ByteBuffer.wrap(part);
            while (bytes.hasRemaining()) {
                end += file.write(bytes, end);
            }
            return at;
        } catch (IOException e) {
            throw cannotKeep("the diagrams", e);
        }
    }

    /** The sentence for what a temporary file cannot take. The variable is read by every java, however rxe was started. */
    public static UncheckedIOException cannotKeep(String what, IOException cause) {
        return new UncheckedIOException("cannot keep " + what + " in " + System.getProperty("java.io.tmpdir") + " ("
            + (cause instanceof NoSuchFileException ? "there is no such folder" : cause.getMessage())
            + "): make room there, or choose another folder with JDK_JAVA_OPTIONS=-Djava.io.tmpdir=DIR", cause);
    }

    private byte[] read(long at, int lengthBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
        try {
            while (bytes.hasRemaining()) {
                if (file.read(bytes, at + bytes.position()) < 0) {
                    throw new EOFException("the temporary file was truncated");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the diagrams back: " + e.getMessage(), e);
        }
        return bytes.array();
    }

    final class Text {
        private final StringBuilder last = new StringBuilder();
        /** Position and length of each part in the file. */
        private long[] parts = new long[0];
        private int count;

        Text append(String more) {
            last.append(more);
            if (last.length() > PART_CHARS) {
                byte[] part = last.toString().getBytes(StandardCharsets.UTF_8);
                if (count == parts.length) {
                    parts = Arrays.copyOf(parts, Math.max(4, 2 * count));
                }
                parts[count++] = write(part);
                parts = count == parts.length ? Arrays.copyOf(parts, 2 * count) : parts;
                parts[count++] = part.length;
                last.setLength(0);
            }
            return this;
        }

        void print(PrintWriter out) {
            for (int i = 0; i < count; i += 2) {
                out.print(new String(read(parts[i], (int) parts[i + 1]), StandardCharsets.UTF_8));
            }
            out.print(last);
        }
    }
}
