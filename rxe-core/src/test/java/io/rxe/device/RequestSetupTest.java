package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A request means what its lines say, however often the object was used before. */
class RequestSetupTest {
    private final NicPair nics = new NicPair();
    private final NicPair.End left = nics.left;
    private final NicPair.End right = nics.right;
    private final WorkRequest request = new WorkRequest();

    private static void refused(Executable call, String word) {
        String text = assertThrows(IllegalStateException.class, call).getMessage();
        assertTrue(text.contains(word), text);
    }

    @Test
    @DisplayName("the same lines for the same object send the same message")
    void theSameLinesMeanTheSame() {
        for (int i = 0; i < 3; i++) {
            left.memory.putLong(0, 7 + i);
            left.post(request.id(i).write(right.region.address(), right.region.rKey()).add(left.region, 0, 8));
            nics.run();
            assertEquals(CompletionStatus.SUCCESS, left.take(i).status());
            assertEquals(7 + i, right.memory.getLong(0));
            assertEquals(0, right.memory.getLong(8), "bytes nobody named were written");
        }
    }

    @Test
    @DisplayName("naming the operation resets everything but the id")
    void theOperationStartsAnew() {
        request.id(5).sendWithImmediate(9).solicited(true).fence(true).signaled(false).inline(ByteBuffer.allocate(4))
            .to(left.domain.createAddressHandle(AddressVector.to(right.nic.gid())), 3, 4);
        request.write(0x100, 0x200);
        assertEquals(5, request.id());
        assertTrue(request.isSignaled());
        assertFalse(request.isSolicited() || request.isFence() || request.isInline());
        assertNull(request.inlineData());
        assertNull(request.addressHandle());
        assertEquals(0, request.immediate() + request.remoteQpn() + request.remoteQueueKey());
        request.add(left.region, 0, 8).compareAndSwap(8, 1, 2, 3);
        assertEquals(0, request.scatterGather().count());
        assertEquals(Operation.SEND, request.fetchAndAdd(8, 1, 2).send().operation());
        assertEquals(0, request.remoteAddress() + request.remoteKey() + request.compareValue() + request.swapOrAddValue());
    }

    @Test
    @DisplayName("a line that naming the operation would undo is refused there")
    void linesBeforeTheOperationAreRefused() {
        refused(() -> new WorkRequest().signaled(false).send(), "name the operation first");
        refused(() -> new WorkRequest().add(left.region, 0, 8).write(0, 0), "RDMA_WRITE");
        refused(() -> new WorkRequest().inline(ByteBuffer.allocate(1)).send(), "name the operation first");
        left.post(request.send().inline(ByteBuffer.allocate(1)));
        request.solicited(true);
        refused(request::send, "name the operation first");
        assertFalse(request.clear().send().isSolicited());
    }

    @Test
    @DisplayName("a request without an operation is refused, new or cleared, also in a batch")
    void aRequestWithoutAnOperationIsRefused() {
        for (WorkRequest nameless : List.of(new WorkRequest().add(left.region, 0, 8), new WorkRequest().send().clear())) {
            IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> left.pair.postSend(nameless));
            assertTrue(refusal.getMessage().contains("no operation: name one"), refusal.getMessage());
        }
        try (RequestBatch<WorkRequest> batch = left.pair.beginSends()) {
            batch.next().add(left.region, 0, 8);
            assertThrows(IllegalArgumentException.class, batch::post);
        }
        assertEquals(0, left.pair.outstandingSends());
    }

    @Test
    @DisplayName("inline data and memory elements exclude each other")
    void inlineAndElementsExcludeEachOther() {
        refused(() -> new WorkRequest().send().inline(ByteBuffer.allocate(4)).add(left.region, 0, 8), "inline");
        refused(() -> new WorkRequest().send().inline(ByteBuffer.allocate(4)).add(0, 8, 0), "inline");
        refused(() -> new WorkRequest().send().add(left.region, 0, 8).inline(ByteBuffer.allocate(4)), "1 memory elements");
        assertTrue(new WorkRequest().send().add(left.region, 0, 8).clearElements().inline(ByteBuffer.allocate(4)).isInline());
    }

    @Test
    @DisplayName("nothing is appended to a request that was posted")
    void nothingIsAppendedAfterAPost() {
        left.post(request.send().add(left.region, 0, 8));
        refused(() -> request.add(left.region, 8, 8), "1 elements");
        refused(() -> request.add(0, 8, 0), "name the operation again");
        ReceiveRequest receive = new ReceiveRequest().add(right.region, 0, 8);
        assertTrue(right.pair.postReceive(receive));
        refused(() -> receive.add(right.region, 8, 8), "1 elements");
        assertEquals(1, receive.clearElements().add(right.region, 8, 8).scatterGather().count());
        assertEquals(1, request.clearElements().add(left.region, 8, 8).scatterGather().count());
    }

    @Test
    @DisplayName("a posted request can be posted again as it is, and with another id and flag")
    void aRequestIsPostedAgain() {
        request.write(right.region.address(), right.region.rKey()).add(left.region, 0, 8);
        left.post(request.id(1));
        left.post(request.id(2).signaled(false));
        left.post(request.id(3).signaled(true));
        nics.run();
        left.take(1);
        assertSame(left.pair, left.take(3).queuePair());
        assertFalse(left.queue.poll(new WorkCompletion()));
    }
}
