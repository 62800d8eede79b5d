/**
 * The completer: takes the responses to our requests and completes what they answer (rxe: rxe_comp.c, the ACK task).
 *
 * <p>Sends nothing. What has to be sent again it tells the requester through the retry flag in {@link io.rxe.qp.SendState}. Previous
 * hop: {@link io.rxe.device}. Next hop: local memory and the completion ring.
 */
package io.rxe.qp.completer;
