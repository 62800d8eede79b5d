package io.rxe.cm;

import io.rxe.cm.exchange.Backlog;
import io.rxe.cm.exchange.CmExchange;
import io.rxe.cm.exchange.PassiveSide;
import io.rxe.cm.exchange.RequestHandler;
import io.rxe.cm.exchange.SidrResponder;

/** Makes a connection and a CONNECT_REQUEST event of every request for a listener. Engine thread. */
final class ListenerRequests implements RequestHandler {
    private final CoreThread thread;
    private final Listener listener;
    private final CmEventChannel channel;

    ListenerRequests(CoreThread thread, Listener listener, CmEventChannel channel) {
        this.thread = thread;
        this.listener = listener;
        this.channel = channel;
    }

    @Override
    public Backlog backlog() {
        return listener.backlog();
    }

    @Override
    public boolean reserve() {
        return channel.reserve(CmEventChannel.EVENTS_PER_CONNECTION);
    }

    @Override
    public void onRequest(PassiveSide exchange, byte[] privateData) {
        begin(new CmConnection(thread, exchange), exchange, privateData);
    }

    @Override
    public void onServiceRequest(SidrResponder exchange, byte[] privateData) {
        begin(new CmConnection(thread, exchange), exchange, privateData);
    }

    private void begin(CmConnection connection, CmExchange exchange, byte[] privateData) {
        ConnectionEvents events = new ConnectionEvents(thread, connection, channel, null);
        exchange.observe(events);
        events.onRequest(listener, privateData);
    }
}
