/**
 * The responder: checks and executes the peer's requests and owes it replies (rxe: rxe_resp.c, the RX task).
 *
 * <p>{@link io.rxe.qp.responder.Responder} takes packets in; what they demand becomes state in {@link io.rxe.qp.responder.Replies},
 * which sends it when the sink has room. So a full sink can neither lose an acknowledgement nor half-apply a request. Previous hop:
 * {@link io.rxe.device}. Next hop: registered memory and the receive completion ring, or the sink.
 */
package io.rxe.qp.responder;
