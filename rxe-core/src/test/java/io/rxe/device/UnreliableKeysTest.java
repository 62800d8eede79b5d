package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests that change keys on queue pairs that are not reliable: rules W1 to W6. */
class UnreliableKeysTest {
    private final NicPair nics = new NicPair();
    private final NicPair.End owner = nics.right;
    private final NicPair.End peer = nics.left;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(64);
    private final MemoryRegion region = owner.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, 0x1000, memory);
    private final QueuePair owning = owner.domain.createQueuePair(QueuePairConfig.of(QueuePairType.UC, owner.queue, owner.queue));
    private final QueuePair using = peer.domain.createQueuePair(QueuePairConfig.of(QueuePairType.UC, peer.queue, peer.queue));

    UnreliableKeysTest() {
        bring(owning, using, peer.nic);
        bring(using, owning, owner.nic);
    }

    private static void bring(QueuePair queuePair, QueuePair to, Nic nic) {
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(nic.gid())).pathMtu(PathMtu.MTU_1024)
            .destinationQpn(to.number()).receivePsn(7));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(7));
    }

    private CompletionStatus run(WorkRequest request) {
        assertTrue(owning.postSend(request));
        nics.run();
        return owner.take(request.id()).status();
    }

    private long write(long address, int key, long value) {
        peer.memory.putLong(0, value);
        assertTrue(using.postSend(new WorkRequest().id(9).write(address, key).add(peer.region, 0, 8)));
        nics.run();
        assertTrue(peer.take(9).isSuccess());
        return memory.getLong(0);
    }

    @Test
    @DisplayName("W2 W4 a UC queue pair binds a window and ends the binding; a WRITE that is refused is dropped")
    void windowsOnUnreliableConnections() {
        MemoryWindow window = owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        int key = window.nextRKey();
        assertEquals(CompletionStatus.SUCCESS,
            run(new WorkRequest().id(1).bindWindow(window, key, MemoryBinding.of(region, AccessFlags.REMOTE_WRITE))));
        assertEquals(1, write(0x1000, key, 1));
        assertEquals(CompletionStatus.SUCCESS, run(new WorkRequest().id(2).localInvalidate(key)));
        assertEquals(1, write(0x1000, key, 2));
        MemoryWindow one = owner.domain.allocateWindow(MemoryWindowType.TYPE_1);
        assertTrue(owning.bindWindow(new WorkRequest().id(3).bindWindow(one, MemoryBinding.of(region, AccessFlags.REMOTE_WRITE))));
        nics.run();
        assertTrue(owner.take(3).isSuccess());
        assertEquals(3, write(0x1000, one.rKey(), 3));
    }

    @Test
    @DisplayName("W6 W3 a UC queue pair registers memory, and sends it in the same breath")
    void fastRegistrationOnUnreliableConnections() {
        AllocatedRegion fast = owner.domain.allocateRegion(1);
        fast.map(0, memory);
        memory.putLong(0, 77);
        owning.postSendDeferred(new WorkRequest().id(1).registerMemory(fast, fast.nextKey(), AccessFlags.LOCAL_WRITE));
        owning.postSend(new WorkRequest().id(2).write(peer.region.address(), peer.region.rKey()).add(fast, 0, 8));
        nics.run();
        assertTrue(owner.take(1).isSuccess() && owner.take(2).isSuccess());
        assertEquals(77, peer.memory.getLong(0));
    }

    @Test
    @DisplayName("W1 W4 what fails moves a UC queue pair to ERROR without an event, and flushes the rest")
    void failuresOnUnreliableConnections() {
        MemoryWindow window = owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        MemoryBinding beyond = new MemoryBinding(region, 0x1000, 65, AccessFlags.REMOTE_WRITE);
        owning.postSendDeferred(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), beyond));
        owning.postSend(new WorkRequest().id(2).localInvalidate(window.rKey()));
        nics.run();
        assertEquals(CompletionStatus.MW_BIND_ERR, owner.take(1).status());
        assertEquals(CompletionStatus.WR_FLUSH_ERR, owner.take(2).status());
        assertEquals(QueuePairState.ERROR, owning.state());
        assertNull(owner.nic.pollAsyncEvent());
    }

    @Test
    @DisplayName("W3 a UD queue pair cannot post requests that change keys")
    void datagramsChangeNoKeys() {
        QueuePair datagrams = owner.domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, owner.queue, owner.queue));
        datagrams.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(1));
        datagrams.modify(QueuePairAttributes.to(QueuePairState.RTR));
        datagrams.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        MemoryWindow window = owner.domain.allocateWindow(MemoryWindowType.TYPE_1);
        String text = assertThrows(IllegalArgumentException.class,
            () -> datagrams.bindWindow(new WorkRequest().bindWindow(window, MemoryBinding.NONE))).getMessage();
        assertTrue(text.contains("UD") && text.contains("BIND_MW"), text);
        assertThrows(IllegalArgumentException.class, () -> datagrams.postSend(new WorkRequest().localInvalidate(window.rKey())));
    }
}
