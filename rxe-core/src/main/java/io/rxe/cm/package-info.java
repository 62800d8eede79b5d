/**
 * Connection management as applications see it: the rdma_cm of Linux on RoCE (IBTA chapter 12; {@code man 7 rdma_cm}).
 *
 * <pre>
 *   ConnectionService     one per NIC, RxeNic.connections(): listen, connector
 *   Listener, Connector   begin connections
 *   CmConnection          one connection or SIDR request: accept, reject, establish, disconnect
 *   CmEventChannel        the events of connections and listeners, in order
 *   ConnectParameters     what this side requests or offers
 * </pre>
 *
 * <p>{@link io.rxe.cm.exchange} holds the state machines, {@link io.rxe.cm.mad} the messages. Dependencies point down: from here to the
 * machines, from the machines to the messages. Applications need this package, and
 * {@link io.rxe.cm.exchange.ConnectionTerms} if they modify their queue pairs themselves.
 *
 * <p>Any thread may call, but no listener of a channel. What begins, answers or ends a connection, and {@code listen}, waits for the engine
 * that owns queue pair 1, and for that of the queue pair: never for the peer. Events return through a channel. No sockets, clocks, threads
 * or randomness.
 *
 * <p>A connection and its queue pair end together:
 *
 * <pre>
 *   DREQ, REJ, time out, disconnect, NIC closed --> ConnectionEvents --> ConnectedQueuePair: to ERROR, flushed --> event
 *   queue pair failed, closed, to ERROR, to RESET --> QueuePairObserver.onEnd --> CmExchange.end: event, DREQ
 * </pre>
 */
package io.rxe.cm;
