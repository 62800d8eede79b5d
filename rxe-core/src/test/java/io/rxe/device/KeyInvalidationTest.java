package io.rxe.device;

import static io.rxe.device.WindowPair.BASE;
import static io.rxe.device.WindowPair.READ;
import static io.rxe.device.WindowPair.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.memory.KeySlot;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** LOCAL_INV, SEND with invalidate and REG_MR, over two NICs: rules W4 to W7. */
class KeyInvalidationTest {
    private static final int ALL = AccessFlags.LOCAL_WRITE | READ | WRITE;

    /** What makes a key, and what it may be used for. */
    private interface KeyMaker {
        int make(WindowPair pair);
    }

    private record Wrong(String name, String word, KeyMaker maker) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final WindowPair pair = new WindowPair();

    private static MemoryWindow bound(WindowPair pair, MemoryRegion region) {
        MemoryWindow window = pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        pair.succeeds(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), MemoryBinding.of(region, READ | WRITE)));
        return window;
    }

    private static AllocatedRegion registered(WindowPair pair, int access) {
        AllocatedRegion region = pair.owner.domain.allocateRegion(2);
        region.map(BASE, pair.memory.slice(0, 1024), pair.memory.slice(2048, 1024));
        pair.succeeds(new WorkRequest().id(2).registerMemory(region, region.nextKey(), access));
        assertTrue(region.isValid());
        return region;
    }

    static List<Wrong> wrongKeys() {
        return List.of(
            new Wrong("unknown", "not in force", pair -> 0x12345678),
            new Wrong("other bits of the owner", "another key", pair -> bound(pair, pair.region).nextRKey()),
            new Wrong("window of type 1", "type 1", pair -> pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_1).rKey()),
            new Wrong("closed window", "closed", pair -> {
                MemoryWindow window = bound(pair, pair.region);
                window.close();
                return window.rKey();
            }),
            new Wrong("another domain", "domain",
                pair -> pair.owner.nic.allocateProtectionDomain().allocateWindow(MemoryWindowType.TYPE_2).rKey()),
            new Wrong("window that another queue pair bound", "another queue pair", WindowPair::boundByOther),
            new Wrong("region with a window", "1 windows", pair -> {
                AllocatedRegion region = registered(pair, ALL | AccessFlags.MW_BIND);
                bound(pair, region);
                return region.rKey();
            }));
    }

    @ParameterizedTest
    @MethodSource("wrongKeys")
    @DisplayName("W4 Q2 a LOCAL_INV of a wrong key completes with LOC_QP_OP_ERR and raises no event")
    void wrongKeysAreNotInvalidatedLocally(Wrong wrong) {
        int key = wrong.maker.make(pair);
        pair.fails(CompletionStatus.LOC_QP_OP_ERR, new WorkRequest().id(8).localInvalidate(key), wrong.word);
    }

    @ParameterizedTest
    @MethodSource("wrongKeys")
    @DisplayName("W5 a SEND with invalidate of a wrong key gets a Remote Access NAK; its receive completes with LOC_ACCESS_ERR")
    void wrongKeysAreNotInvalidatedByThePeer(Wrong wrong) {
        WorkCompletion send = pair.invalidateByPeer(wrong.maker.make(pair));
        assertEquals(CompletionStatus.REM_ACCESS_ERR, send.status(), send::toString);
        WorkCompletion receive = pair.owner.take(5);
        assertEquals(CompletionStatus.LOC_ACCESS_ERR, receive.status(), receive::toString);
    }

    @Test
    @DisplayName("W4 a region that a verb registered is not invalidated by LOCAL_INV")
    void plainRegionsAreNotInvalidatedLocally() {
        pair.fails(CompletionStatus.LOC_QP_OP_ERR, new WorkRequest().id(8).localInvalidate(pair.region.lKey()), "a verb registered");
    }

    @Test
    @DisplayName("W4 LOCAL_INV ends a binding, and the window can be bound again; a free key may be invalidated again")
    void localInvalidationFreesAWindow() {
        MemoryWindow window = bound(pair, pair.region);
        int old = window.rKey();
        pair.isUsable(BASE, old);
        pair.succeeds(new WorkRequest().id(3).localInvalidate(old));
        pair.succeeds(new WorkRequest().id(4).localInvalidate(old));
        assertEquals(1, pair.owner.nic.counter(NicCounter.KEYS_INVALIDATED));
        pair.succeeds(new WorkRequest().id(5).bindWindow(window, window.nextRKey(), MemoryBinding.of(pair.region, READ | WRITE)));
        pair.isUsable(BASE, window.rKey());
        pair.isRefused(BASE, old, false);
    }

    @Test
    @DisplayName("W5 a SEND with invalidate ends a binding and says so in the receive completion")
    void thePeerInvalidatesAWindow() {
        MemoryWindow window = bound(pair, pair.region);
        pair.isUsable(BASE, window.rKey());
        pair.invalidatesByPeer(window.rKey());
        assertEquals(1, pair.owner.nic.counter(NicCounter.KEYS_INVALIDATED));
        pair.isRefused(BASE, window.rKey(), true);
        pair.region.close();
    }

    @Test
    @DisplayName("W5 a refused SEND with invalidate invalidates nothing")
    void aSendThatIsTooLongInvalidatesNothing() {
        MemoryWindow window = bound(pair, pair.region);
        pair.owner.pair.postReceive(new ReceiveRequest().id(5).add(pair.owner.region, 0, 8));
        WorkCompletion send = pair.run(pair.peer, new WorkRequest().id(6).sendWithInvalidate(window.rKey()).add(pair.peer.region, 0, 16));
        assertEquals(CompletionStatus.REM_INV_REQ_ERR, send.status());
        pair.owner.take(5);
        pair.reconnect();
        pair.isUsable(BASE, window.rKey());
    }

    @Test
    @DisplayName("W4 LOCAL_INV begins when all earlier requests have completed, without a fence too; a binding does not wait")
    void localInvalidationWaitsForEarlierRequests() {
        AllocatedRegion region = registered(pair, AccessFlags.LOCAL_WRITE);
        MemoryWindow window = pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        int key = window.nextRKey();
        pair.owner.post(new WorkRequest().id(3).write(pair.peer.region.address(), pair.peer.region.rKey()).add(region, 0, 1024));
        pair.owner.post(new WorkRequest().id(4).bindWindow(window, key, MemoryBinding.of(pair.region, READ)));
        pair.owner.post(new WorkRequest().id(5).localInvalidate(region.lKey()));
        pair.owner.nic.engine(0).poll(pair.nics.nowNs(), pair.nics.toLeft);
        assertTrue(NicInspection.hasKey(pair.owner.nic, key), "the binding has run");
        assertTrue(NicInspection.hasKey(pair.owner.nic, region.lKey()), "the WRITE is not acknowledged");
        pair.nics.run();
        for (int id = 3; id <= 5; id++) {
            assertTrue(pair.owner.take(id).isSuccess(), "request " + id);
        }
        assertFalse(NicInspection.hasKey(pair.owner.nic, region.lKey()));
    }

    @Test
    @DisplayName("W3 a fenced binding waits for the READs before it")
    void aFencedBindingWaits() {
        MemoryWindow window = pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        int key = window.nextRKey();
        pair.owner.post(new WorkRequest().id(3).read(pair.peer.region.address(), pair.peer.region.rKey()).add(pair.owner.region, 0, 64));
        pair.owner.post(new WorkRequest().id(4).bindWindow(window, key, MemoryBinding.of(pair.region, READ)).fence(true));
        pair.owner.nic.engine(0).poll(pair.nics.nowNs(), pair.nics.toLeft);
        assertFalse(NicInspection.hasKey(pair.owner.nic, key));
        pair.nics.run();
        assertTrue(pair.owner.take(3).isSuccess() && pair.owner.take(4).isSuccess());
        assertTrue(NicInspection.hasKey(pair.owner.nic, key));
    }

    @Test
    @DisplayName("W6 REG_MR registers a list of buffers; requests behind it use the key; invalidated, it is registered with another")
    void fastRegistration() {
        AllocatedRegion region = registered(pair, ALL);
        assertEquals(2048, region.length());
        int first = region.rKey();
        pair.peer.memory.put(0, new byte[] {1, 2, 3, 4});
        WorkCompletion write = pair.run(pair.peer, new WorkRequest().id(3).write(BASE + 1022, first).add(pair.peer.region, 0, 4));
        assertTrue(write.isSuccess(), write::toString);
        byte[] across = {pair.memory.get(1022), pair.memory.get(1023), pair.memory.get(2048), pair.memory.get(2049)};
        assertArrayEquals(new byte[] {1, 2, 3, 4}, across);
        pair.succeeds(new WorkRequest().id(4).localInvalidate(first));
        assertFalse(region.isValid());
        region.map(0, pair.memory.slice(4000, 8));
        pair.owner.pair.postSend(new WorkRequest().id(5).registerMemory(region, region.nextKey(), ALL));
        pair.owner.pair.postSend(new WorkRequest().id(6).write(pair.peer.region.address(), pair.peer.region.rKey()).add(region, 0, 8));
        pair.nics.run();
        assertTrue(pair.owner.take(5).isSuccess() && pair.owner.take(6).isSuccess());
        pair.isUsable(0, region.rKey());
        assertEquals(2, pair.owner.nic.counter(NicCounter.REGIONS_REGISTERED));
        pair.isRefused(BASE, first, true);
    }

    @Test
    @DisplayName("W5 W9 a SEND with invalidate of a region that changes in this instant is refused, and the key stays in force")
    void aChangingRegionIsNotInvalidated() {
        MemoryRegion open = pair.owner.domain.register(ALL | AccessFlags.REMOTE_INVALIDATE, BASE, pair.memory);
        KeySlot slot = ((NicMemoryRegion) open).slot();
        assertTrue(slot.beginChange());
        WorkCompletion send = pair.invalidateByPeer(open.rKey());
        slot.endChange();
        assertEquals(CompletionStatus.REM_ACCESS_ERR, send.status(), send::toString);
        WorkCompletion receive = pair.owner.take(5);
        assertEquals(CompletionStatus.LOC_ACCESS_ERR, receive.status(), receive::toString);
        pair.reconnect();
        pair.isUsable(BASE, open.rKey());
    }

    @Test
    @DisplayName("W5 the peer invalidates a fast registration that gives it access, and not one that does not")
    void thePeerInvalidatesAFastRegistration() {
        AllocatedRegion region = registered(pair, ALL);
        pair.invalidatesByPeer(region.rKey());
        assertFalse(region.isValid());
        pair.succeeds(new WorkRequest().id(7).registerMemory(region, region.nextKey(), AccessFlags.LOCAL_WRITE));
        assertEquals(CompletionStatus.REM_ACCESS_ERR, pair.invalidateByPeer(region.rKey()).status());
        assertTrue(region.isValid());
    }

    @Test
    @DisplayName("W6 a region that is valid, closed or of another domain is not registered")
    void wrongRegistrationsFail() {
        AllocatedRegion region = registered(pair, ALL);
        int key = region.rKey();
        pair.fails(CompletionStatus.LOC_QP_OP_ERR, new WorkRequest().id(3).registerMemory(region, region.nextKey(), ALL), "valid");
        assertEquals(key, region.rKey());
        pair.reconnect();
        pair.isUsable(BASE, key);
        AllocatedRegion foreign = pair.owner.nic.allocateProtectionDomain().allocateRegion(1);
        foreign.map(0, pair.memory);
        pair.fails(CompletionStatus.LOC_QP_OP_ERR, new WorkRequest().id(4).registerMemory(foreign, foreign.nextKey(), ALL), "domain");
        pair.reconnect();
        region.close();
        pair.fails(CompletionStatus.LOC_QP_OP_ERR, new WorkRequest().id(5).registerMemory(region, region.nextKey(), ALL), "closed");
    }

    @Test
    @DisplayName("W6 W7 what no request can make right is refused when it is mapped or posted")
    void impossibleRegistrationsAreRefused() {
        AllocatedRegion region = pair.owner.domain.allocateRegion(1);
        ByteBuffer half = pair.memory.slice(0, 8);
        assertThrows(IllegalArgumentException.class, () -> region.map(0, half, half));
        assertThrows(IllegalArgumentException.class, () -> region.map(0, ByteBuffer.allocate(8)));
        assertThrows(IllegalArgumentException.class, () -> pair.owner.domain.allocateRegion(513));
        region.map(1, half);
        for (int access : new int[] {WRITE, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC, 1 << 27}) {
            assertThrows(IllegalArgumentException.class,
                () -> pair.owner.pair.postSend(new WorkRequest().registerMemory(region, region.nextKey(), access)));
        }
        assertThrows(IllegalArgumentException.class,
            () -> pair.owner.pair.postSend(new WorkRequest().registerMemory(region, region.rKey() ^ 0x100, ALL)));
        region.close();
        assertThrows(IllegalStateException.class, () -> region.map(0, half));
    }

    @Test
    @DisplayName("W4 W6 a slot of the send queue serves registrations and invalidations in any order")
    void slotsAreReused() {
        AllocatedRegion region = pair.owner.domain.allocateRegion(1);
        region.map(BASE, pair.memory);
        for (int round = 0; round < 300; round++) {
            pair.succeeds(new WorkRequest().id(1).registerMemory(region, region.nextKey(), ALL));
            assertTrue(NicInspection.hasKey(pair.owner.nic, region.rKey()), "round " + round);
            pair.succeeds(new WorkRequest().id(2).localInvalidate(region.rKey()));
            pair.succeeds(new WorkRequest().id(3).localInvalidate(region.rKey()));
            assertFalse(NicInspection.hasKey(pair.owner.nic, region.rKey()), "round " + round);
        }
    }

    @Test
    @DisplayName("W4 Q14 a request that fails without a packet completes after those before it, and flushes those behind it")
    void failuresKeepTheOrder() {
        pair.owner.post(new WorkRequest().id(1).write(pair.peer.region.address(), pair.peer.region.rKey())
            .add(pair.owner.region, 0, 3000));
        pair.owner.post(new WorkRequest().id(2).localInvalidate(0x12345678).signaled(false));
        pair.owner.post(new WorkRequest().id(3).write(pair.peer.region.address(), pair.peer.region.rKey()).add(pair.owner.region, 0, 8));
        pair.nics.run();
        assertEquals(CompletionStatus.SUCCESS, pair.owner.take(1).status());
        assertEquals(CompletionStatus.LOC_QP_OP_ERR, pair.owner.take(2).status());
        assertEquals(CompletionStatus.WR_FLUSH_ERR, pair.owner.take(3).status());
    }
}
