package io.rxe.testkit.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A program of this machine that runs to its end. */
public final class HostCommand {
    private HostCommand() {
    }

    /**
     * Runs it and returns what it printed.
     *
     * @throws IOException with the command and its output, when its exit status is not 0 or the thread is interrupted.
     */
    public static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output.strip());
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        return output;
    }
}
