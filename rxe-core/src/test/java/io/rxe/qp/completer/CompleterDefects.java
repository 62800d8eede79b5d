package io.rxe.qp.completer;

import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SentPackets;
import io.rxe.verbs.CompletionStatus;
import net.bytebuddy.asm.Advice;

/** Defects to plant into the completer; each class is advice for one method, copied into it by ByteBuddy. See io.rxe.sim.Defect. */
public final class CompleterDefects {
    private CompleterDefects() {
    }

    /** For Completer.checkPsn: a response to a packet that was never sent counts for the last one that was. */
    public static final class AcceptsGhosts {
        private AcceptsGhosts() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompleterState next, @Advice.FieldValue(value = "seq", readOnly = false) long seq,
                         @Advice.FieldValue("send") SendState send) {
            if (next == CompleterState.DONE && seq >= send.nextSeq() && send.isOutstanding()) {
                seq = send.nextSeq() - 1;
                next = CompleterState.CHECK_ACK;
            }
        }
    }

    /** For Completer.completeAcknowledged: of several acknowledged requests the youngest completes first. */
    public static final class CompletesBackwards {
        private CompletesBackwards() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.FieldValue("context") QueuePairContext context, @Advice.FieldValue("send") SendState send) {
            long begin = context.queues().sends().consumerIndex();
            for (long index = send.ackIndex() - 1; index >= begin; index--) {
                context.queues().complete(context.queues().sends().get(index), CompletionStatus.SUCCESS, "");
            }
            return true;
        }
    }

    /** For Completer.failInOrder: the oldest request fails instead of the one that the response belongs to. */
    public static final class BlamesOldest {
        private BlamesOldest() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "seq", readOnly = false) long seq, @Advice.FieldValue("send") SendState send) {
            seq = send.ackedSeq();
        }
    }

    /** For Credits.start: whatever connection management says, the peer gives credits. */
    public static final class BelievesInCredits {
        private BelievesInCredits() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) boolean isGiven) {
            isGiven = true;
        }
    }

    /** For LossDetector.onReported: the last packet of each gap counts as arrived. */
    public static final class ShortensGaps {
        private ShortensGaps() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) long fromSeq) {
            fromSeq--;
        }
    }

    /** For Rack.judge: a packet that was retransmitted is not lost, whatever arrives. */
    public static final class TrustsRepairs {
        private TrustsRepairs() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.FieldValue("packets") SentPackets packets, @Advice.Argument(0) long seq) {
            return packets.wasRetransmitted(seq);
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Enter boolean skipped, @Advice.Return(readOnly = false) boolean goesOn) {
            goesOn |= skipped;
        }
    }
}
