/**
 * The send side of a queue pair, which requester and completer share: the send queue with its edges and retry range, the progress of
 * READs, the send windows, the RTT estimator, the retry counters and timers.
 *
 * <p>Must not use the requester, the completer or the responder; the responder must not use it. Handles no packets: the requester reads
 * it to send, the completer updates it with each response. Everything here belongs to the engine thread, except the application's end of
 * the SQ ring, whose slots are {@link io.rxe.qp.send.SendWqe}.
 */
package io.rxe.qp.send;
