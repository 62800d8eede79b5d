package io.rxe.cm;

import io.rxe.cm.exchange.Backlog;

/**
 * Receives requests on a port; each arrives as a CONNECT_REQUEST event in the channel given to {@link ConnectionService#listen}
 * ({@code man 3 rdma_listen}).
 *
 * <p>Any thread may call, but no listener of a channel. {@link #close} runs a command on the thread of an engine and returns when it has
 * run. A listener ends with its NIC.
 */
public final class Listener implements AutoCloseable {
    private final CoreThread thread;
    private final PortSpace portSpace;
    private final int port;
    private final Backlog backlog;

    Listener(CoreThread thread, PortSpace portSpace, int port, Backlog backlog) {
        this.thread = thread;
        this.portSpace = portSpace;
        this.port = port;
        this.backlog = backlog;
    }

    /** TCP for connections, UDP for datagram services. */
    public PortSpace portSpace() {
        return portSpace;
    }

    /** 1 to 65535. */
    public int port() {
        return port;
    }

    Backlog backlog() {
        return backlog;
    }

    @Override
    public String toString() {
        return "listener on " + thread.core().config().gid().address() + " " + portSpace + " port " + port;
    }

    /**
     * Stops listening. Requests whose event the application has not taken are rejected as if there were no listener; the others stay the
     * application's to answer. Waits for the engine, and returns when the port is free again. Closing twice has no effect.
     */
    @Override
    public void close() {
        thread.command(() -> thread.core().endListening(backlog));
    }
}
