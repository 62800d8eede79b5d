/**
 * The requester: turns posted requests into packets (rxe: rxe_req.c, the TX task).
 *
 * <p>Reads the send queue through {@link io.rxe.qp.SendState}, never looks at a received packet; the completer tells it what to send
 * again through the retry flag. Previous hop: the SQ ring. Next hop: the {@link io.rxe.port.PacketSink}.
 */
package io.rxe.qp.requester;
