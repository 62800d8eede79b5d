/**
 * One queue pair: its attributes and transition table, and the state its three state machines share. The machines themselves are in
 * the packages below, one each: {@link io.rxe.qp.requester}, {@link io.rxe.qp.responder}, {@link io.rxe.qp.completer}.
 *
 * <pre>
 *   postSend -> SQ ring -> requester -> sink            (TX task)
 *                  ^          ^
 *                  |          | retry flag, PSN edges    SendState: what both see
 *                  v          |
 *   CQ ring    &lt;- completer &lt;- response packets          (ACK task)
 *
 *   postReceive -> RQ ring -> responder &lt;- request packets
 *   CQ ring    &lt;-             responder -> sink          (RX task)
 * </pre>
 *
 * <p>Everything here belongs to the engine thread of the queue pair; the rings are where application threads meet it. No sockets, no
 * clock: packets and time come in as arguments, replies leave through a {@link io.rxe.port.PacketSink}.
 *
 * <p>Previous hop of a packet: {@link io.rxe.device}, which finds the queue pair. Next hop: {@link io.rxe.memory} and a completion
 * ring, or the sink.
 */
package io.rxe.qp;
