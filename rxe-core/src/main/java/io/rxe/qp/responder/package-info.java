/**
 * The responder: checks and executes the peer's requests and sends responses (rxe: rxe_resp.c, the RX task).
 *
 * <p>{@link io.rxe.qp.responder.Responder} processes requests and queues each response in {@link io.rxe.qp.responder.ResponseQueue}, which
 * sends it when the sink has room. So a full sink can neither lose an acknowledgement nor half-apply a request. Must not use the requester,
 * the completer or the send side.
 *
 * <p>Previous hop: {@link io.rxe.device}, through the queue pair. Next hop: registered memory and the receive completion ring; responses
 * go to the sink.
 */
package io.rxe.qp.responder;
