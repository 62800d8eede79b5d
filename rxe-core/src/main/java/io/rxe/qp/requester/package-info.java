/**
 * The requester: turns posted requests into packets (rxe: rxe_req.c, the TX task).
 *
 * <p>Reads the send queue and the retry range through {@link io.rxe.qp.send.SendState}. Must not use the completer, the responder or a
 * received packet: responses reach it only as changes of the send side.
 *
 * <p>Previous hop: the SQ ring. Next hop: the {@link io.rxe.port.PacketSink}.
 */
package io.rxe.qp.requester;
