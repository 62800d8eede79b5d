package io.rxe.tools.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** A writer to standard output that knows why it failed; a PrintWriter alone only knows that it did. */
public final class StandardOutput extends PrintWriter {
    private final Recorder recorder;

    private StandardOutput(Recorder recorder) {
        super(recorder, false, StandardCharsets.UTF_8);
        this.recorder = recorder;
    }

    /** Wraps a stream. */
    public static StandardOutput over(OutputStream out) {
        return new StandardOutput(new Recorder(out));
    }

    /**
     * Why the output is incomplete, as a sentence with the remedy; null if it is complete or if its reader has closed the pipe, as
     * {@code head} does once it has enough.
     */
    public String failure() {
        flush();
        String why = recorder.failure == null ? null : String.valueOf(recorder.failure.getMessage());
        return why == null || why.contains("Broken pipe") ? null : "cannot write to standard output: " + why
            + "; make room, or send the output elsewhere";
    }

    /** Keeps the first error. */
    private static final class Recorder extends FilterOutputStream {
        private IOException failure;

        Recorder(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
            try {
                out.write(bytes, offset, lengthBytes);
            } catch (IOException e) {
                failure = failure == null ? e : failure;
                throw e;
            }
        }
    }
}
