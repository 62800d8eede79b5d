package io.rxe.qp.responder;

import io.rxe.qp.InboundPacket;

/** A responder that never answers: UC and UD. Owned by the engine thread. */
public interface MessageResponder {
    /** The queue pair goes to RTR. */
    void start();

    /** The queue pair is reset. */
    void stop();

    /** The queue pair failed: the receive request in use is flushed. */
    void flush();

    /** Takes a request that was checked as far as its ICRC. */
    void onRequest(InboundPacket packet);

    /** PSN of the next request; 0 where requests come in no order. */
    int expectedPsn();
}
