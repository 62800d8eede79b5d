package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.EngineEvents;
import io.rxe.counters.QueuePairCounters;
import io.rxe.device.NicInspection;
import io.rxe.memory.KeyCache;
import io.rxe.memory.KeyTable;
import io.rxe.port.CounterSpace;
import io.rxe.port.SameThread;
import io.rxe.qp.context.CompletionRing;
import io.rxe.qp.context.PendingNotifications;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.QueuePairRings;
import io.rxe.qp.context.ReceiveQueue;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The flush of a queue pair in ERROR. */
class FlushTest {
    private static final int POSTED = 3;
    private static final int MOST_POSTS = 1000;

    private final Ring<ReceiveRequest> receives = new Ring<>(8, ReceiveRequest::new);
    private final WorkCompletion taken = new WorkCompletion();
    private CompletionRing completions;
    private int posts;

    private void post() {
        receives.claim().id(++posts);
        receives.publish();
    }

    /** As an application on another processor, that takes each completion at once and posts another receive. */
    private void postAnother(WorkCompletion completion) {
        completions.poll(taken);
        if (posts < MOST_POSTS) {
            post();
        }
    }

    @Test
    @DisplayName("a queue pair that is reset while the sink is full has nothing left to do")
    void aResetEndsTheWaitForTheSink() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.posts(Trace.send(8)).run();
        assertEquals(trace.nowNs(), trace.engine.nextDeadlineNs());
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.run();
        assertEquals(Long.MAX_VALUE, trace.engine.nextDeadlineNs());
    }

    @Test
    @DisplayName("Q12 what was flushed counts as outstanding no longer")
    void nothingIsOutstandingInError() {
        Trace trace = Trace.inRts().open();
        trace.posts(Trace.send(8), Trace.read(3000));
        assertTrue(NicInspection.describe(trace.pair).contains(" inflight 4 "));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.run();
        assertTrue(NicInspection.describe(trace.pair).contains(" inflight 0 "));
    }

    @Test
    @DisplayName("Q12 R12 an application that posts as fast as its receives are flushed keeps no engine in the flush")
    void aFlushEndsAlthoughTheApplicationPosts() {
        Trace trace = Trace.inRts().open();
        completions = new CompletionRing(8, trace.completionQueue, null, new AtomicInteger(), null,
            new PendingNotifications(SameThread.INLINE), this::postAnother);
        EngineCounters counters = new EngineCounters(null, new CounterSpace.Owner(Trace.OUR_GID, 4791, 0));
        QueuePairContext context = new QueuePairContext(0x42,
            QueuePairConfig.of(QueuePairType.RC, trace.completionQueue, trace.completionQueue), 1, new KeyCache(new KeyTable()),
            QueuePairCounters.open(counters, new EngineEvents(), null, null, 0x42, 0), (type, pair, queue, why) -> { },
            new QueuePairRings(new Ring<>(8, SendWqe::new), new ReceiveQueue(receives, false, 1), completions, completions), null);
        for (int i = 0; i < POSTED; i++) {
            post();
        }
        context.state(QueuePairState.ERROR);
        context.queues().flush();
        assertEquals(2 * POSTED, posts);
        assertEquals(POSTED, receives.size());
    }
}
