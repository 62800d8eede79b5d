package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
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
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/** Two NICs: the right one owns memory, and binds and registers it; the left one uses it through the network. */
final class WindowPair {
    static final int BYTES = 4096;
    static final int READ = AccessFlags.REMOTE_READ;
    static final int WRITE = AccessFlags.REMOTE_WRITE;
    static final int ATOMIC = AccessFlags.REMOTE_ATOMIC;
    static final long BASE = 0x7000_0000L;

    final NicPair nics = new NicPair().guarded();
    final NicPair.End owner = nics.right;
    final NicPair.End peer = nics.left;
    final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
    /** Without remote rights: only windows give the peer access. */
    final MemoryRegion region = owner.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, BASE, memory);

    WorkCompletion run(NicPair.End end, WorkRequest request) {
        end.post(request);
        nics.run();
        return end.take(request.id());
    }

    /** Runs a request of the owner that must succeed. */
    void succeeds(WorkRequest request) {
        WorkCompletion completion = run(owner, request);
        assertEquals(CompletionStatus.SUCCESS, completion.status(), completion::toString);
        assertEquals(request.operation(), completion.operation());
        assertEquals(0, completion.byteLength());
    }

    /** Runs a request of the owner that must fail, with the words in its explanation, and the queue pair with it. */
    void fails(CompletionStatus status, WorkRequest request, String... words) {
        WorkCompletion completion = run(owner, request);
        assertEquals(status, completion.status(), completion::toString);
        for (String word : words) {
            assertTrue(completion.explanation().contains(word), completion::explanation);
        }
        assertEquals(QueuePairState.ERROR, owner.pair.state());
        assertNull(owner.nic.pollAsyncEvent());
    }

    void bind(WorkRequest request) {
        assertTrue(owner.pair.bindWindow(request));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, owner.take(request.id()).status());
    }

    private WorkRequest on(long address, int key, boolean isRead) {
        WorkRequest request = new WorkRequest().id(77);
        return (isRead ? request.read(address, key) : request.write(address, key)).add(peer.region, 0, 8);
    }

    /** The peer writes eight bytes and reads them back. */
    void isUsable(long address, int key) {
        peer.memory.putLong(0, address ^ key);
        assertEquals(CompletionStatus.SUCCESS, run(peer, on(address, key, false)).status());
        peer.memory.putLong(0, 0);
        assertEquals(CompletionStatus.SUCCESS, run(peer, on(address, key, true)).status());
        assertEquals(address ^ key, peer.memory.getLong(0));
    }

    /** The peer's access is refused; both queue pairs are in ERROR after it. */
    void isRefused(long address, int key, boolean isRead) {
        byte[] before = new byte[BYTES];
        memory.get(0, before);
        peer.memory.putLong(0, ~0);
        WorkCompletion completion = run(peer, on(address, key, isRead));
        assertEquals(CompletionStatus.REM_ACCESS_ERR, completion.status(), completion::toString);
        assertEquals(ByteBuffer.wrap(before), memory, "the memory of the owner");
        assertEquals(~0L, peer.memory.getLong(0), "the memory of the peer");
        assertEquals(QueuePairState.ERROR, owner.pair.state());
    }

    /** The peer sends a SEND with invalidate of a key. */
    WorkCompletion invalidateByPeer(int key) {
        assertTrue(owner.pair.postReceive(new ReceiveRequest().id(5).add(owner.region, 0, 64)));
        return run(peer, new WorkRequest().id(6).sendWithInvalidate(key).add(peer.region, 0, 16));
    }

    void invalidatesByPeer(int key) {
        assertEquals(CompletionStatus.SUCCESS, invalidateByPeer(key).status());
        WorkCompletion receive = owner.take(5);
        assertTrue(receive.isSuccess() && receive.hasInvalidatedKey(), receive::toString);
        assertEquals(key, receive.invalidatedKey());
    }

    /** Puts both queue pairs through RESET and connects them again. */
    void reconnect() {
        WorkCompletion left = new WorkCompletion();
        while (peer.queue.poll(left) || owner.queue.poll(left)) {
            assertFalse(left.isSuccess(), left::toString);
        }
        peer.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        owner.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        nics.connect(peer, owner);
        nics.guarded();
    }

    /** Connects another queue pair of the owner with another peer, whose queue pair is new. */
    QueuePair connect(NicPair.End otherPeer) {
        nics.unguarded();
        QueuePair other = owner.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, owner.queue, owner.queue));
        bring(other, otherPeer.pair, otherPeer.nic);
        bring(otherPeer.pair, other, owner.nic);
        return other;
    }

    /** The key of a window that another queue pair of the owner bound. */
    int boundByOther() {
        return boundByOther(READ);
    }

    int boundByOther(int access) {
        QueuePair other = connect(nics.end(nics.leftNic, null));
        MemoryWindow window = owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        assertTrue(other.postSend(new WorkRequest().id(41).bindWindow(window, window.nextRKey(), MemoryBinding.of(region, access))));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, owner.take(41).status());
        return window.rKey();
    }

    private static void bring(QueuePair queuePair, QueuePair to, Nic nic) {
        queuePair.modify(QueuePairAttributes.toInit(READ | WRITE | ATOMIC));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(nic.gid()), PathMtu.MTU_1024, to.number(), 0));
        queuePair.modify(QueuePairAttributes.toReadyToSend(0));
    }
}
