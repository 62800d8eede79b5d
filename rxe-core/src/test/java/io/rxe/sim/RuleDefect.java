package io.rxe.sim;

import io.rxe.device.UnreliableTransportTest;
import io.rxe.qp.DrainedChangeTest;
import io.rxe.qp.DuplicateRequestTest;
import io.rxe.qp.KeptRequestsTest;
import io.rxe.qp.QueueDefects;
import io.rxe.qp.context.FramePoolTest;
import io.rxe.qp.responder.ResponderDefects;

/** Defects that a packet trace has to notice: each is one method with advice woven in, and the test that must fail. */
enum RuleDefect {
    BELIEVES_THE_FIRST_OF_TWO("io.rxe.qp.responder.ReorderBuffer", "isSame", QueueDefects.SaysYes.class, null, KeptRequestsTest.class,
        "neitherOfTwoRequestsIsBelieved", "of two requests with one PSN the first is executed (R1)"),
    KEEPS_FRAMES_FOR_EVER("io.rxe.qp.responder.KeptRequests", "dropAll", QueueDefects.DoesNothing.class, null, KeptRequestsTest.class,
        "keptRequestsExpire", "requests behind a gap that never closes keep their frames (R1)"),
    GIVES_THE_WHOLE_POOL_TO_ONE("io.rxe.qp.context.FramePool", "acquire", null, "inUse", FramePoolTest.class, "sharesAreBounded",
        "one queue pair may hold more than its share of the pool (R1)"),
    CHANGES_BEFORE_THE_DRAIN("io.rxe.qp.QueuePairTransition", "checkDrained", QueueDefects.DoesNothing.class, null, DrainedChangeTest.class,
        "nothingChangesBeforeTheDrain", "max_rd_atomic changes in SQD before the drain (Q11, Q13)"),
    TAKES_A_REPETITION_FOR_A_COPY("io.rxe.qp.responder.ResponseQueue", "hasPassed", QueueDefects.SaysNo.class, null,
        DuplicateRequestTest.class, "aReadRepeatedAfterAnImpliedNakIsAnswered",
        "a READ that a kernel repeats after an implied NAK is not answered (R5)"),
    ENDS_WITH_A_LONG_DATAGRAM("io.rxe.qp.responder.DatagramResponder", "onRequest", ResponderDefects.EndsWithALongDatagram.class, null,
        UnreliableTransportTest.class, "udDropsADatagramThatDoesNotFit", "a datagram that does not fit ends its queue pair (S1)");

    final PlantedTest test;
    final String sentence;

    RuleDefect(String className, String methodName, Class<?> advice, String omitted, Class<?> test, String testMethod, String sentence) {
        this.test = new PlantedTest(test, testMethod, className, methodName, advice, omitted);
        this.sentence = sentence;
    }
}
