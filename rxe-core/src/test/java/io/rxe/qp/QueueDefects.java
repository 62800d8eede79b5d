package io.rxe.qp;

import io.rxe.qp.send.PeerShares;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.ReceiveRequest;
import net.bytebuddy.asm.Advice;

/** Defects to plant into what the state machines share; each class is advice for one method. See io.rxe.sim.Defect. */
public final class QueueDefects {
    private QueueDefects() {
    }

    /** For ReceiveQueue.take: the receive request stays in the queue and serves the next message as well. */
    public static final class KeepsReceive {
        private KeepsReceive() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.FieldValue("ring") Ring<ReceiveRequest> ring, @Advice.Argument(0) ReceiveRequest into) {
            if (ring.consumerIndex() == ring.producerIndex()) {
                return false;
            }
            into.copyFrom(ring.get(ring.consumerIndex()));
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Enter boolean kept, @Advice.Return(readOnly = false) boolean taken) {
            taken = taken || kept;
        }
    }

    /** For NotificationPoint.onMarked: each mark is answered, however soon it follows another. */
    public static final class AnswersEachMark {
        private AnswersEachMark() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) long nowNs) {
            nowNs = Long.MAX_VALUE;
        }
    }

    /** For RcQueuePair.pollTasks: a queue pair that waits for the time of its next batch sends nothing at all. */
    public static final class PacesAnswers {
        private PacesAnswers() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(0) long nowNs, @Advice.FieldValue("shares") PeerShares shares) {
            return shares != null && shares.deadlineNs() != Long.MAX_VALUE && shares.deadlineNs() > nowNs;
        }
    }

    /** For RetryState.startRnrWait: the RNR wait is over at once. */
    public static final class IgnoresRnrDelay {
        private IgnoresRnrDelay() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(2) long nowNs, @Advice.FieldValue(value = "rnrDeadlineNs", readOnly = false) long deadlineNs) {
            deadlineNs = nowNs;
        }
    }

    /** For SendState.readAtomicInUse: what was answered behind a lost response no longer counts. */
    public static final class FreesPlacesOutOfOrder {
        private FreesPlacesOutOfOrder() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("ring") Ring<SendWqe> ring, @Advice.FieldValue("ackIndex") long ackIndex,
                         @Advice.FieldValue("beginIndex") long beginIndex, @Advice.Return(readOnly = false) int inUse) {
            inUse = 0;
            for (long index = ackIndex; index < beginIndex; index++) {
                if (ring.get(index).operation().isReadOrAtomic()) {
                    inUse += ring.get(index).read().placesInUse();
                }
            }
        }
    }

    /** For ReadProgress.isComplete and received: the first packets of a READ complete it. */
    public static final class CompletesReadEarly {
        private CompletesReadEarly() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("packets") long packets, @Advice.Return(readOnly = false) long received) {
            if (received > 0) {
                received = packets;
            }
        }
    }

    /** For Psn.subtract: distances across the wrap are one too large. */
    public static final class MiscountsAtWrap {
        private MiscountsAtWrap() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) int a, @Advice.Argument(1) int b, @Advice.Return(readOnly = false) int distance) {
            if (distance > 0 && a < b) {
                distance++;
            }
        }
    }

    /** For predicates: always true. */
    public static final class SaysYes {
        private SaysYes() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean answer) {
            answer = true;
        }
    }

    /** For predicates: always false. */
    public static final class SaysNo {
        private SaysNo() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean answer) {
            answer = false;
        }
    }

    /** For methods that return nothing, or whose false means that nothing is to do: they do nothing. */
    public static final class DoesNothing {
        private DoesNothing() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** For methods that return a deadline: never. */
    public static final class NeverFires {
        private NeverFires() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long deadlineNs) {
            deadlineNs = Long.MAX_VALUE;
        }
    }
}
