/**
 * The state machines of connection management: an exchange is one connection or one SIDR request, from its first message to its last
 * timer.
 *
 * <pre>
 *   io.rxe.cm             the API: commands down, events up; owns queue pairs
 *      |  commands           ^  ExchangeObserver, RequestHandler
 *      v                     |
 *   CmCore                message dispatch, timers, the send queue of exchanges
 *   ReqHandler            REQ and SIDR_REQ: new requests and duplicates of known ones
 *   PeerAdmission         how many exchanges peers may begin
 *   ActiveSide  PassiveSide  SidrRequester  SidrResponder      one machine each
 *   ConnectionExchange, TeardownMachine                        DREQ, DREP, time-wait
 *   CmExchange            the message to send, its deadline, its IDs
 *   ExchangeContext       what all exchanges of a NIC share: table, deadlines, counters, replies
 *   CmErrorMessages, CmMessageWriter, CmTimes, CmRetry         values in, values out
 *      |
 *      v
 *   io.rxe.cm.mad         fields of the messages
 * </pre>
 *
 * <p>Dependencies point down this list. A machine does not see {@link io.rxe.cm}: it reports to an
 * {@link io.rxe.cm.exchange.ExchangeObserver} and never touches a queue pair; {@link io.rxe.cm.exchange.ConnectionTerms} says what to
 * set in one. Two pairs of classes name each other: an exchange and its context, a connection and its teardown.
 *
 * <p>Everything runs on the thread of the engine that owns queue pair 1. No I/O, no threads, no clock, no randomness: they come in
 * as arguments. Previous hop of a received MAD: queue pair 1, which has checked Q_Key and ICRC. Next hop of a MAD to send: the sink of
 * {@link io.rxe.device.ManagementAgent}; until it has room, the exchange keeps the message.
 */
package io.rxe.cm.exchange;
