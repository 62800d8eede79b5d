package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fault.TimedFault;
import io.rxe.port.OwnThread;
import io.rxe.port.SameThread;
import io.rxe.qp.context.CompletionRing;
import io.rxe.qp.context.PendingNotifications;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The size of a completion queue changes: rule W10. */
class CompletionQueueResizeTest {
    private final NicPair pair = new NicPair();

    private void send(int from, int to) {
        for (int id = from; id < to; id++) {
            pair.left.post(new WorkRequest().id(id).write(pair.right.region.address(), pair.right.region.rKey())
                .add(pair.left.region, 0, 8));
        }
        pair.run();
    }

    @Test
    @DisplayName("W10 completions that wait are kept in order, in one poll and in several, whatever the size does")
    void nothingIsLostOrReordered() {
        CompletionQueue queue = pair.left.queue;
        assertEquals(1024, queue.capacity());
        send(0, 20);
        queue.resize(20);
        assertEquals(32, queue.capacity());
        send(20, 50);
        queue.resize(100);
        assertEquals(128, queue.capacity());
        send(50, 60);
        WorkCompletion[] all = new WorkCompletion[55];
        for (int i = 0; i < all.length; i++) {
            all[i] = new WorkCompletion();
        }
        assertEquals(55, queue.poll(all));
        for (int id = 0; id < 55; id++) {
            assertEquals(id, all[id].workRequestId());
        }
        for (int id = 55; id < 60; id++) {
            pair.left.take(id);
        }
        assertFalse(queue.poll(all[0]));
        assertFalse(queue.isOverrun());
    }

    @Test
    @DisplayName("an array of completions ends at its first null: what a poll takes before it is returned")
    void aNullEndsTheArray() {
        CompletionQueue queue = pair.left.queue;
        send(0, 2);
        queue.resize(20);
        send(2, 4);
        WorkCompletion[] array = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion(), null};
        assertEquals(3, queue.poll(array));
        assertEquals(2, array[2].workRequestId());
        pair.left.take(3);
        send(4, 5);
        assertThrows(NullPointerException.class, () -> queue.poll(new WorkCompletion[1]));
        pair.left.take(4);
    }

    @Test
    @DisplayName("W10 R17 the new size counts: a queue made too small overruns, one made larger does not")
    void theNewSizeCounts() {
        pair.left.queue.resize(16);
        send(0, 16);
        assertFalse(pair.left.queue.isOverrun());
        send(16, 17);
        assertTrue(pair.left.queue.isOverrun());
        assertEquals(QueuePairState.ERROR, pair.left.pair.state());
    }

    @Test
    @DisplayName("A1 CQ_ERR made on purpose twice is raised once, as that of a completion that is lost")
    void aMadeOverrunIsRaisedOnce() {
        for (int times = 0; times < 2; times++) {
            pair.leftNic.make(new TimedFault(TimedFault.Kind.EVENT, AsyncEvent.Type.CQ_ERR, 0, "made"));
        }
        assertTrue(pair.left.queue.isOverrun());
        assertEquals(pair.left.queue, pair.leftNic.pollAsyncEvent().completionQueue());
        assertEquals(AsyncEvent.Type.QP_FATAL, pair.leftNic.pollAsyncEvent().type());
        assertNull(pair.leftNic.pollAsyncEvent());
    }

    @Test
    @DisplayName("A1 a queue in which several engines lose completions raises CQ_ERR once")
    void severalEnginesReportOneOverrun() {
        TwoEngines two = new TwoEngines(SameThread.INLINE);
        two.queue.resize(1);
        for (QueuePair pair : two.pairs) {
            pair.postReceive(new ReceiveRequest());
            pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        }
        two.nic.engine(0).poll(1, null);
        two.nic.engine(1).poll(1, null);
        assertEquals(AsyncEvent.Type.CQ_ERR, two.nic.pollAsyncEvent().type());
        assertNull(two.nic.pollAsyncEvent());
    }

    @Test
    @DisplayName("W10 a size out of range, or too small for what waits, is refused and changes nothing")
    void wrongSizesAreRefused() {
        CompletionQueue queue = pair.left.queue;
        send(0, 9);
        assertThrows(IllegalArgumentException.class, () -> queue.resize(0));
        assertThrows(IllegalArgumentException.class, () -> queue.resize((1 << 22) + 1));
        String text = assertThrows(IllegalArgumentException.class, () -> queue.resize(8)).getMessage();
        assertTrue(text.contains("9 completions wait") && text.contains("at least 9"), text);
        assertEquals(1024, queue.capacity());
        for (int id = 0; id < 9; id++) {
            pair.left.take(id);
        }
        queue.resize(8);
        assertEquals(8, queue.capacity());
    }

    @Test
    @DisplayName("W10 a thread that polls loses nothing while the engine adds completions and changes the size")
    void resizingIsSafeWhileAnotherThreadPolls() throws Exception {
        int total = 200_000;
        CompletionRing ring = new CompletionRing(16, null, null, new AtomicInteger(), null, new PendingNotifications(SameThread.INLINE),
            null);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Integer> poller = CompletableFuture.supplyAsync(() -> {
            WorkCompletion completion = new WorkCompletion();
            int expected = 0;
            while (expected < total && !stop.get()) {
                if (ring.poll(completion)) {
                    if (completion.workRequestId() != expected) {
                        return expected;
                    }
                    expected++;
                } else {
                    Thread.onSpinWait();
                }
            }
            return expected;
        }, OwnThread::run);
        try {
            for (int id = 0; id < total && !poller.isDone();) {
                if (id % 97 == 0) {
                    ring.resize(1 + id % 61);
                }
                WorkCompletion slot = ring.claim();
                if (slot == null) {
                    Thread.onSpinWait();
                } else {
                    slot.reset(id, CompletionStatus.SUCCESS, Operation.SEND, 1);
                    ring.publish(false);
                    id++;
                }
            }
            assertEquals(total, poller.get(60, TimeUnit.SECONDS));
        } finally {
            stop.set(true);
        }
    }
}
