package io.rxe.tools.cli;

import io.rxe.net.observe.FileFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that gets the result of a command, tested before the command spends minutes on the result. Immutable. */
public final class ResultFile {
    private static final String STANDARD_OUTPUT = "-";

    private final String what;
    private final Path path;

    private ResultFile(String what, Path path) {
        this.what = what;
        this.path = path;
    }

    /**
     * Tests that a file can be written, without changing it.
     *
     * @param what its contents, such as "the JSON".
     * @param path the file, "-" for standard output, or null for none.
     * @throws ToolFailure that names contents, file, reason and remedy.
     */
    public static ResultFile of(String what, Path path) {
        if (path != null && !STANDARD_OUTPUT.equals(path.toString())) {
            try {
                test(path);
            } catch (IOException e) {
                throw new ToolFailure(FileFailure.ofWrite(what, path, e), e);
            }
        }
        return new ResultFile(what, path);
    }

    private static void test(Path path) throws IOException {
        if (!Files.exists(path)) {
            Files.newOutputStream(path, StandardOpenOption.CREATE).close();
            Files.delete(path);
        } else if (Files.isDirectory(path) || !Files.isWritable(path)) {
            // Not opened: the reader of a pipe would take that for the end.
            throw new AccessDeniedException(path.toString());
        }
    }

    /** Whether the result is for standard output, in place of what the command prints for people. */
    public boolean isStandardOutput() {
        return path != null && STANDARD_OUTPUT.equals(path.toString());
    }

    /**
     * Writes the result to its file, or prints it if it is for standard output.
     *
     * @throws ToolFailure as {@link #of}, if the device is full by now.
     */
    public void writeOrPrint(String text, PrintWriter out) {
        if (isStandardOutput()) {
            out.print(text);
        } else if (path != null) {
            try {
                Files.writeString(path, text);
            } catch (IOException e) {
                // What is there is no result, and nobody should take it for one.
                if (Files.isRegularFile(path)) {
                    path.toFile().delete();
                }
                throw new ToolFailure(FileFailure.ofWrite(what, path, e), e);
            }
        }
    }

    /** Why a file cannot be read, without its name. */
    public static String whyUnreadable(IOException cause) {
        return FileFailure.ofRead(cause);
    }
}
