/**
 * One queue pair: what its engine calls ({@link io.rxe.qp.QueuePairTasks}), its transition table and attribute limits, and the table of its
 * timers. The state machines are in the packages below, one each: {@link io.rxe.qp.requester}, {@link io.rxe.qp.responder},
 * {@link io.rxe.qp.completer}. They share {@link io.rxe.qp.context}; requester and completer also share {@link io.rxe.qp.send}.
 *
 * <pre>
 *   postSend -> SQ ring -> requester -> sink            (TX task)
 *                  ^          ^
 *                  |          | retry range, PSN edges    io.rxe.qp.send
 *                  v          |
 *   CQ ring    &lt;- completer &lt;- response packets          (ACK task)
 *
 *   postReceive -> RQ ring -> responder &lt;- request packets
 *   CQ ring    &lt;-             responder -> sink          (RX task)
 * </pre>
 *
 * <p>Everything here belongs to the engine thread of the queue pair; application threads post to and poll the rings. Must not use
 * {@link io.rxe.device}, sockets or a clock: packets and time are arguments, and packets leave through a
 * {@link io.rxe.port.PacketSink}. What wakes a queue pair: {@code QueuePairTimer}.
 *
 * <p>Previous hop of a packet: {@link io.rxe.device}, which finds the queue pair. Next hop: {@link io.rxe.memory} and a completion
 * ring, or the sink.
 */
package io.rxe.qp;
