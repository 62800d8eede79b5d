package io.rxe.cm.exchange;

/** Receives the requests for one service ID. Called on the engine's thread, under the rules of {@link ExchangeObserver}. */
public interface RequestHandler {
    /** Requests of this service that wait for a decision. */
    Backlog backlog();

    /**
     * Reserves room for the {@link ExchangeObserver#MAX_EVENTS} events of one more exchange.
     *
     * @return false if there is none: the request is refused.
     */
    boolean reserve();

    /** A REQ for a connection arrived. Must set the observer of the exchange. */
    void onRequest(PassiveSide exchange, byte[] privateData);

    /** A SIDR_REQ arrived. Must set the observer of the exchange. */
    void onServiceRequest(SidrResponder exchange, byte[] privateData);
}
