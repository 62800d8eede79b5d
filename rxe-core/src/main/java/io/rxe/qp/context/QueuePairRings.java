package io.rxe.qp.context;

import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;

/**
 * What a queue pair is created with: its own rings, and this engine's rings of its completion queues.
 *
 * @param sends              posted sends.
 * @param receives           posted receives, its own or shared.
 * @param sendCompletions    of the completion queue for sends.
 * @param receiveCompletions of the completion queue for receives.
 */
public record QueuePairRings(Ring<SendWqe> sends, ReceiveQueue receives, CompletionRing sendCompletions,
                             CompletionRing receiveCompletions) {
}
