package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What is closed answers, and what depended on it ends at once. {@link MisuseTest} has the refusals. */
class ClosedResourceTest {
    private final NicPair nics = new NicPair(new Reporting());
    private final NicPair.End left = nics.left;
    private final NicPair.End right = nics.right;
    private final WorkCompletion completion = new WorkCompletion();

    private static String refused(Executable call) {
        return assertThrows(IllegalStateException.class, call).getMessage();
    }

    private void postWrites(int count) {
        for (int i = 0; i < count; i++) {
            left.post(new WorkRequest().id(i).write(right.region.address(), right.region.rKey()).add(left.region, 0, 8));
        }
    }

    private AsyncEvent fatal() {
        AsyncEvent event = nics.leftNic.pollAsyncEvent();
        assertNotNull(event);
        assertEquals(AsyncEvent.Type.QP_FATAL, event.type());
        assertNull(nics.leftNic.pollAsyncEvent());
        return event;
    }

    @Test
    @DisplayName("a closed completion queue gives what is in it, then says that it is closed")
    void aClosedQueueGivesWhatIsInIt() {
        postWrites(2);
        nics.run();
        left.queue.close();
        left.queue.close();
        left.take(0);
        left.take(1);
        assertTrue(refused(() -> left.queue.poll(completion)).contains("the completion queue of 1024 entries is closed"));
        assertTrue(refused(() -> left.queue.poll(new WorkCompletion[] {completion})).contains("create another"));
    }

    @Test
    @DisplayName("closing a completion queue fails the queue pairs that use it, at once and with the reason")
    void closingAQueueFailsItsQueuePairs() {
        CompletionQueue receives = nics.leftNic.createCompletionQueue(8);
        QueuePair pair = left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, left.queue, receives));
        pair.modify(QueuePairAttributes.toInit(0));
        pair.postReceive(new ReceiveRequest().id(9).add(left.region, 0, 8));
        postWrites(1);
        left.queue.close();
        assertEquals(QueuePairState.ERROR, left.pair.state());
        assertEquals(QueuePairState.ERROR, pair.state());
        nics.run();
        assertEquals(0, left.pair.outstandingSends());
        assertTrue(receives.poll(completion));
        assertEquals(CompletionStatus.WR_FLUSH_ERR, completion.status());
        assertSame(pair, completion.queuePair());
        for (int i = 0; i < 2; i++) {
            AsyncEvent event = nics.leftNic.pollAsyncEvent();
            assertEquals(AsyncEvent.Type.QP_FATAL, event.type());
            assertTrue(event.explanation().contains("completion queue of 1024 entries") && event.explanation().endsWith("was closed"),
                event::explanation);
        }
        assertNull(nics.leftNic.pollAsyncEvent(), "a queue that was closed did not overrun");
        assertTrue(refused(() -> left.pair.postSend(new WorkRequest().send())).contains("closed"));
        left.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        assertTrue(refused(() -> left.pair.modify(QueuePairAttributes.toInit(0))).contains("closed: create another of both"));
    }

    @Test
    @DisplayName("closing a shared receive queue fails the queue pairs that use it")
    void closingASharedQueueFailsItsQueuePairs() {
        SharedReceiveQueue shared = left.domain.createSharedReceiveQueue(8, 1);
        QueuePair pair = left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, left.queue, left.queue)
            .withSharedReceiveQueue(shared));
        pair.modify(QueuePairAttributes.toInit(0));
        assertTrue(shared.postReceive(new ReceiveRequest().add(left.region, 0, 8)));
        shared.close();
        shared.close();
        assertEquals(QueuePairState.ERROR, pair.state());
        AsyncEvent event = fatal();
        assertSame(pair, event.queuePair());
        assertTrue(event.explanation().contains("shared receive queue of 8 requests"), event::explanation);
        assertEquals(0, shared.size());
    }

    @Test
    @DisplayName("a queue pair that was closed before its queues raises nothing")
    void aClosedQueuePairDependsOnNothing() {
        left.pair.close();
        left.queue.close();
        assertNull(nics.leftNic.pollAsyncEvent());
    }

    @Test
    @DisplayName("drain completes everything outstanding before it returns, and the queue pair can be closed then")
    void drainFlushes() {
        postWrites(3);
        assertTrue(left.pair.postReceive(new ReceiveRequest().id(3).add(left.region, 0, 8)));
        nics.leftNic.engine(0).poll(nics.nowNs(), nics.toRight);
        left.pair.drain();
        for (int i = 0; i < 4; i++) {
            assertEquals(CompletionStatus.WR_FLUSH_ERR, left.take(i).status());
        }
        assertEquals(QueuePairState.ERROR, left.pair.state());
        assertEquals(0, left.pair.outstandingSends());
        left.pair.drain();
        nics.run();
        assertFalse(left.queue.poll(completion));
        QueuePair unused = left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, left.queue, left.queue));
        unused.drain();
        assertEquals(QueuePairState.RESET, unused.state());
        left.pair.close();
        assertTrue(refused(left.pair::drain).contains("closed"));
    }

    @Test
    @DisplayName("the queues of a failed NIC give every flushed completion, then the reason")
    void aFailedNicIsReportedByItsQueues() {
        postWrites(2);
        nics.leftNic.engine(0).fail(new OutOfMemoryError("planted"));
        for (int i = 0; i < 2; i++) {
            assertEquals(CompletionStatus.WR_FLUSH_ERR, left.take(i).status());
        }
        assertTrue(refused(() -> left.queue.poll(completion)).contains("OutOfMemoryError: planted"));
        nics.leftNic.close();
        assertTrue(refused(() -> left.queue.poll(completion)).contains("OutOfMemoryError: planted"));
    }

    @Test
    @DisplayName("with two engines a queue ends when both have flushed")
    void aQueueEndsWithTheLastEngine() {
        TwoEngines two = new TwoEngines(new Reporting());
        CompletionQueue queue = two.nic.createCompletionQueue(8);
        two.nic.engine(0).fail(new OutOfMemoryError("planted"));
        assertFalse(queue.poll(completion));
        two.nic.engine(1).poll(1, nics.toRight);
        assertTrue(refused(() -> queue.poll(completion)).contains("planted"));
    }

    @Test
    @DisplayName("a closed NIC refuses with its own name, whatever is asked")
    void aClosedNicSaysSo() {
        nics.leftNic.close();
        List<Executable> calls = List.of(() -> left.queue.poll(completion), () -> left.pair.query(), left.pair::ringDoorbell,
            () -> left.domain.register(left.memory, 0), () -> left.pair.postSend(new WorkRequest().send()),
            () -> left.pair.modify(QueuePairAttributes.toInit(0)), () -> nics.leftNic.allocateProtectionDomain());
        for (Executable call : calls) {
            String text = refused(call);
            assertTrue(text.contains("the NIC is closed"), text);
        }
        assertDoesNotThrow(left.region::close);
        assertDoesNotThrow(left.domain::close);
    }

    @Test
    @DisplayName("a region closed after the post fails the request, with element, address, length and key")
    void aRegionClosedAfterThePost() {
        MemoryRegion region = left.domain.register(left.memory, AccessFlags.LOCAL_WRITE);
        left.post(new WorkRequest().id(1).send().add(region, 16, 8));
        region.close();
        nics.run();
        WorkCompletion failed = left.take(1);
        assertEquals(CompletionStatus.LOC_PROT_ERR, failed.status());
        assertTrue(failed.explanation().contains("element 0 (8 bytes at address 0x" + Long.toHexString(region.address() + 16) + ", lkey 0x"
            + Integer.toHexString(region.lKey()) + "): no registered memory region"), failed::explanation);
    }

    @Test
    @DisplayName("a remote access error names remote address, rkey and length")
    void aRemoteAccessErrorNamesWhatWasSent() {
        left.post(new WorkRequest().id(1).write(0x1230, 0x777).add(left.region, 0, 24));
        nics.run();
        WorkCompletion failed = left.take(1);
        assertEquals(CompletionStatus.REM_ACCESS_ERR, failed.status());
        assertTrue(failed.explanation().contains("(RDMA_WRITE of 24 bytes at remote address 0x1230 with rkey 0x777) with NAK remote access"
            + " error"), failed::explanation);
    }
}
