package io.rxe.cm.exchange;

/**
 * Receives what happens to one exchange. Each method is one event of {@code rdma_cm_event_type}, except those of paths and the last two.
 *
 * <p>Called on the engine's thread in the middle of its work: must not block, throw or call back into the exchange. An exchange
 * reports at most {@link #MAX_EVENTS} events, the request that began it included.
 */
public interface ExchangeObserver {
    /** Events of one exchange at most: request or response, established, disconnected, end of the time-wait. */
    int MAX_EVENTS = 4;
    /** Status of an event caused by a timeout: {@code -ETIMEDOUT}, as in {@code rdma_cm_event.status}. */
    int TIMED_OUT = -110;
    /** Status of an event because this host cannot send to the peer: {@code -ENETUNREACH}. */
    int NOT_SENT = -101;
    /** Status of an event because this side can no longer use the connection: {@code -ECONNABORTED}. */
    int ABORTED = -103;

    /** A REP arrived. The queue pair must be brought to RTS with these terms, then {@link ActiveSide#establish} sends the RTU. */
    void onReply(ConnectionTerms terms, byte[] privateData);

    /** The RTU arrived, or data or a DREQ in its place. */
    void onEstablished(byte[] privateData);

    /** A SIDR_REP named the queue pair and Q_Key of a datagram service. */
    void onResolved(ConnectionTerms terms, byte[] privateData);

    /** A REJ ended the handshake. */
    void onRejected(int reasonCode, byte[] privateData, String explanation);

    /**
     * The peer did not reply in time, or a SIDR_REP refused the request.
     *
     * @param status {@link #TIMED_OUT}, {@link #NOT_SENT}, or the status of the SIDR_REP.
     */
    void onUnreachable(int status, byte[] privateData, String explanation);

    /**
     * The connection ended, or the handshake was given up by {@link CmExchange#end}.
     *
     * @param status      0, {@link #TIMED_OUT}, {@link #NOT_SENT} or {@link #ABORTED}.
     * @param explanation why, in a sentence; empty if the application of this side ended it.
     */
    void onDisconnected(int status, String explanation);

    /**
     * A LAP named an alternate path. {@link PassiveSide#answerPath} sends the APR.
     *
     * @return false if it cannot be handed to the application now; the peer repeats it.
     */
    default boolean onPathRequest(PathLoad load) {
        return false;
    }

    /** Our LAP is about to be sent: false if there is no room for the event of its answer. */
    default boolean onPathLoad() {
        return false;
    }

    /**
     * The peer answered our LAP, or did not.
     *
     * @param status 0 if the peer loaded the path, {@link #TIMED_OUT}, or the status of the APR.
     */
    default void onPathAnswer(PathLoad load, int status, String explanation) {
        // A connection without an observer of paths sends no LAP.
    }

    /** The time-wait of a connection is over. */
    void onTimeWaitExit();

    /** The exchange no longer exists; no event follows. Called once. */
    void onRemoved();

    /**
     * Takes a request back from the application because its listener was closed.
     *
     * @return true if the application had not received the request; it never will, and no event follows. False if the application
     *     has it, and will accept or reject it.
     */
    boolean cancelRequest();
}
