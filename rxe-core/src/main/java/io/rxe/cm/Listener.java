package io.rxe.cm;

/**
 * Waits for requests on a port: CONNECT_REQUEST events in its channel.
 *
 * <p>Made by {@link ConnectionService#listen}. Any thread.
 */
public final class Listener implements AutoCloseable {
    private final ConnectionService service;
    private final CmEventChannel channel;
    private final PortSpace portSpace;
    private final int port;
    private final int backlog;
    private int pending;

    Listener(ConnectionService service, CmEventChannel channel, PortSpace portSpace, int port, int backlog) {
        this.service = service;
        this.channel = channel;
        this.portSpace = portSpace;
        this.port = port;
        this.backlog = backlog;
    }

    ConnectionService service() {
        return service;
    }

    /** Where its events arrive. */
    public CmEventChannel channel() {
        return channel;
    }

    public PortSpace portSpace() {
        return portSpace;
    }

    public int port() {
        return port;
    }

    long serviceId() {
        return portSpace.serviceId(port);
    }

    /** Engine: whether one more request may wait for the application's decision. */
    boolean hasRoom() {
        return pending < backlog;
    }

    /** Engine: requests that wait have become more or fewer. */
    void pending(int change) {
        pending += change;
    }

    /**
     * Ends listening. Requests whose event was not taken yet are refused as if nobody had listened; those taken are not touched. May be
     * called twice.
     */
    @Override
    public void close() {
        service.command(() -> service.core().endListening(this));
    }
}
