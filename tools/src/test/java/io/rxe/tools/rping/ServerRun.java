package io.rxe.tools.rping;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.tools.Main;
import io.rxe.tools.Run;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server command that runs in a thread of the test until it ends or is interrupted. */
final class ServerRun {
    private static final long SECONDS = 60;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Thread thread;
    private int status;

    private ServerRun(String[] words) {
        thread = new Thread(() -> status = Main.run(new PrintWriter(out), new PrintWriter(err), words), "server " + words[0]);
        thread.start();
    }

    /** Starts a command and waits until it listens. */
    static ServerRun start(String line, int udpPort) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addAll(List.of("-v", "--udp-port", Integer.toString(udpPort)));
        ServerRun run = new ServerRun(words.toArray(String[]::new));
        while (run.thread.isAlive() && !run.err.toString().contains("listening on ")) {
            Thread.onSpinWait();
        }
        return run;
    }

    /** Waits for a text on standard output. */
    void awaitOutput(String text) {
        while (thread.isAlive() && !out.toString().contains(text)) {
            Thread.onSpinWait();
        }
        assertTrue(out.toString().contains(text), out.toString());
    }

    /** Waits for its end. */
    Run end() throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
        assertTrue(!thread.isAlive(), () -> "still running: " + out + err);
        return new Run(status, out.toString(), err.toString());
    }

    /** Interrupts a server that runs forever. */
    Run interrupt() throws InterruptedException {
        thread.interrupt();
        return end();
    }
}
