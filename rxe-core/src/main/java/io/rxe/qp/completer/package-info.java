/**
 * The completer: processes the responses to our requests and completes the requests (rxe: rxe_comp.c, the ACK task).
 *
 * <p>Completer matches and completes, ResponsePlacement writes the data of responses to memory, LossDetector decides that something is
 * lost, LossRecovery decides what to retransmit, CreditUpdates takes the peer's flow control. Must not use the requester or the responder,
 * and sends nothing: it sets the retry range in {@link io.rxe.qp.send.SendState}, and the requester retransmits it.
 *
 * <p>Previous hop: {@link io.rxe.device}, through the queue pair. Next hop: local memory and the completion ring.
 */
package io.rxe.qp.completer;
