package io.rxe.cm;

import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.cm.exchange.ExchangeObserver;
import io.rxe.cm.exchange.PathLoad;
import io.rxe.fault.ConnectionFault;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Turns what happens to an exchange into events in the channel of its connection. With the end of the exchange the queue pair goes to
 * ERROR, whether or not the application takes the event.
 *
 * <p>The engine's thread adds events. The thread that takes an event from the channel runs {@link #onTaken} before the application sees
 * it: there the queue pair of a connecting side is brought to RTS.
 */
final class ConnectionEvents implements ExchangeObserver {
    private static final byte[] NO_DATA = new byte[0];

    private final CmConnection connection;
    private final CmEventChannel channel;
    private final AtomicBoolean requestClaimed = new AtomicBoolean();
    private int places = MAX_EVENTS;
    private final Runnable atClose;
    private final CoreThread thread;
    private final ConnectionFault fault;
    private boolean cancelled;

    /**
     * {@link CmEventChannel#reserve} must have succeeded.
     *
     * @param fault made on purpose: with CONNECT_ERROR the queue pair counts as one that cannot be set up; null for none.
     */
    ConnectionEvents(CoreThread thread, CmConnection connection, CmEventChannel channel, ConnectionFault fault) {
        this.thread = thread;
        this.connection = connection;
        this.channel = channel;
        this.fault = fault;
        this.atClose = connection.connected()::end;
        thread.atClose().add(atClose);
    }

    /** A request arrived. */
    void onRequest(Listener listener, byte[] privateData) {
        add(new CmEvent(CmEvent.Type.CONNECT_REQUEST, connection, listener, 0, privateData, ""));
    }

    @Override
    public void onReply(ConnectionTerms terms, byte[] privateData) {
        connection.terms(terms);
        add(CmEvent.Type.CONNECT_RESPONSE, 0, privateData, "");
    }

    @Override
    public void onEstablished(byte[] privateData) {
        connection.onEstablished();
        add(CmEvent.Type.ESTABLISHED, 0, privateData, "");
    }

    @Override
    public void onResolved(ConnectionTerms terms, byte[] privateData) {
        connection.onEstablished();
        connection.terms(terms);
        add(CmEvent.Type.ESTABLISHED, 0, privateData, "");
    }

    @Override
    public void onRejected(int reasonCode, byte[] privateData, String explanation) {
        addEnd(CmEvent.Type.REJECTED, reasonCode, privateData, explanation);
    }

    @Override
    public void onUnreachable(int status, byte[] privateData, String explanation) {
        addEnd(CmEvent.Type.UNREACHABLE, status, privateData, explanation);
    }

    @Override
    public void onDisconnected(int status, String explanation) {
        addEnd(CmEvent.Type.DISCONNECTED, status, NO_DATA, explanation);
    }

    @Override
    public boolean onPathRequest(PathLoad load) {
        boolean hasRoom = onPathLoad();
        if (hasRoom) {
            add(load, 0, "");
        }
        return hasRoom;
    }

    @Override
    public boolean onPathLoad() {
        boolean hasRoom = channel.reserve(1);
        places += hasRoom ? 1 : 0;
        return hasRoom;
    }

    @Override
    public void onPathAnswer(PathLoad load, int status, String explanation) {
        add(load, status, explanation);
    }

    @Override
    public void onTimeWaitExit() {
        add(CmEvent.Type.TIMEWAIT_EXIT, 0, NO_DATA, "");
    }

    @Override
    public void onRemoved() {
        thread.atClose().remove(atClose);
        channel.release(places);
    }

    @Override
    public boolean cancelRequest() {
        cancelled = requestClaimed.compareAndSet(false, true);
        return cancelled;
    }

    private void addEnd(CmEvent.Type type, int status, byte[] privateData, String explanation) {
        // Before the event, so that whoever takes it can rely on it.
        connection.onExchangeEnded();
        add(type, status, privateData, explanation);
    }

    private void add(CmEvent.Type type, int status, byte[] privateData, String explanation) {
        add(new CmEvent(type, connection, null, status, privateData, explanation));
    }

    private void add(PathLoad load, int status, String explanation) {
        add(new CmEvent(CmEvent.Type.ALTERNATE_PATH, connection, null, status, NO_DATA, explanation), load);
    }

    private void add(CmEvent event) {
        add(event, null);
    }

    /** @param load of an ALTERNATE_PATH event: a later one may wait behind it. */
    private void add(CmEvent event, PathLoad load) {
        if (cancelled || connection.isClosed()) {
            return;
        }
        assert places > 0 : event.type() + " exceeds the events reserved";
        places--;
        CmEventChannel.Waiting waiting = new CmEventChannel.Waiting() {
            @Override
            public CmEvent take() {
                CmEvent taken = onTaken(event, load);
                if (taken != null) {
                    thread.faults().onEvent(taken.type().name());
                }
                return taken;
            }

            @Override
            public void discard() {
                if (event.type() == CmEvent.Type.CONNECT_REQUEST || event.type() == CmEvent.Type.CONNECT_RESPONSE) {
                    connection.abandon();
                }
            }
        };
        try {
            channel.add(waiting);
        } catch (OutOfMemoryError e) {
            // The event may be lost.
            throw e;
        } catch (Throwable e) {
            // The listener threw it: the event is in the channel, and the exchange goes on.
            thread.report(e);
        }
    }

    /** Returns the event for the application, or null if it shall receive none. */
    private CmEvent onTaken(CmEvent event, PathLoad load) {
        if (event.type() == CmEvent.Type.CONNECT_REQUEST && !requestClaimed.compareAndSet(false, true) || connection.isClosed()) {
            return null;
        }
        return switch (event.type()) {
            case CONNECT_RESPONSE -> connection.queuePair() == null ? event : establish(event);
            case REJECTED, UNREACHABLE, DISCONNECTED -> {
                connection.connected().awaitEnd();
                yield event;
            }
            case ALTERNATE_PATH -> event.status() == 0 ? loadPath(event, load) : event;
            case CONNECT_REQUEST, CONNECT_ERROR, ESTABLISHED, TIMEWAIT_EXIT -> event;
        };
    }

    private CmEvent loadPath(CmEvent event, PathLoad load) {
        String why = connection.loadPath(load);
        return why.isEmpty() ? event : new CmEvent(CmEvent.Type.ALTERNATE_PATH, connection, null, CmEvent.INVALID, NO_DATA,
            "the alternate path of the connection with " + connection.peer().address() + " was not loaded: " + why);
    }

    private CmEvent establish(CmEvent response) {
        try {
            if (fault != null) {
                throw new IllegalStateException(fault.why());
            }
            connection.queuePairToReadyToSend();
        } catch (RuntimeException | Error e) {
            boolean rejected = connection.rejectReply();
            connection.connected().end();
            if (!rejected) {
                // The connection ended before, and an event says how.
                return null;
            }
            return new CmEvent(CmEvent.Type.CONNECT_ERROR, connection, null, CmEvent.INVALID, NO_DATA, "the connection with "
                + connection.peer().address() + " failed because its queue pair could not be set up: "
                + (e instanceof Error ? e : e.getMessage()));
        }
        return connection.sendReady()
            ? new CmEvent(CmEvent.Type.ESTABLISHED, connection, null, 0, response.privateData(), "") : null;
    }
}
