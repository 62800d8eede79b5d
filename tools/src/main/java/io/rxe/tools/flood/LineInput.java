package io.rxe.tools.flood;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Lines of standard input, read on a thread of its own so that the caller never waits for one. */
final class LineInput {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;

    private LineInput() {
    }

    static LineInput begin() {
        LineInput input = new LineInput();
        Thread thread = new Thread(input::read, "flood-input");
        thread.setDaemon(true);
        thread.start();
        return input;
    }

    private void read() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            String line = reader.readLine();
            while (line != null) {
                lines.add(line);
                line = reader.readLine();
            }
        } catch (IOException e) {
            lines.clear();
        }
        ended = true;
    }

    /** The next line, or null when none has arrived. */
    String poll() {
        return lines.poll();
    }

    /** Whether no line can arrive any more. */
    boolean isEnded() {
        return ended && lines.isEmpty();
    }
}
