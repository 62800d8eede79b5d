package io.rxe.tools.cli;

import io.rxe.cm.ConnectionService;
import java.util.concurrent.TimeUnit;

/**
 * Disconnects the peers of connection management when a signal (SIGINT, SIGTERM, SIGHUP) ends the process. The kernel does that for
 * programs that use its NIC; here the NIC is part of the program.
 */
public final class DisconnectHook implements AutoCloseable {
    private static final int FLUSH_TRIES = 200;
    private static final long FLUSH_PAUSE_MS = 1;

    private static volatile boolean ending;

    private final ConnectionService service;
    private final Thread thread = new Thread(this::run, "rxe-disconnect");

    /** @param service whose listeners and connections are ended. */
    public DisconnectHook(ConnectionService service) {
        this.service = service;
        Runtime.getRuntime().addShutdownHook(thread);
    }

    /** Whether a signal is ending the process: what fails from then on fails because of that, and nobody needs to read about it. */
    public static boolean isEnding() {
        return ending;
    }

    private void run() {
        ending = true;
        service.close();
        try {
            for (int tries = 0; tries < FLUSH_TRIES && service.hasToSend(); tries++) {
                TimeUnit.MILLISECONDS.sleep(FLUSH_PAUSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The program has ended its connections itself. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The process is ending: the hook is running.
        }
    }
}
