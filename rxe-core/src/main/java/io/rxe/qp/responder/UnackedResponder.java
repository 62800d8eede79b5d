package io.rxe.qp.responder;

import io.rxe.qp.context.InboundPacket;

/** A responder that sends no responses: UC and UD. Owned by the engine thread. */
public sealed interface UnackedResponder permits DatagramResponder, UnreliableResponder {
    /** The queue pair goes to RTR. */
    void start();

    /** The queue pair is reset. */
    void stop();

    /** The queue pair failed: flushes the receive request in use. */
    void flush();

    /** Processes a request. Its headers, addressing and ICRC are checked already. */
    void onRequest(InboundPacket packet);

    /** PSN of the next request; 0 for UD, whose requests have no order. */
    int expectedPsn();
}
