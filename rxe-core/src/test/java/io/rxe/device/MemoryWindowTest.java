package io.rxe.device;

import static io.rxe.device.WindowPair.ATOMIC;
import static io.rxe.device.WindowPair.BASE;
import static io.rxe.device.WindowPair.BYTES;
import static io.rxe.device.WindowPair.READ;
import static io.rxe.device.WindowPair.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory windows of types 1 and 2B, over two NICs: rules W1 to W3, W7, W8. */
class MemoryWindowTest {
    private final WindowPair pair = new WindowPair();

    private MemoryWindow type1() {
        return pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_1);
    }

    private MemoryWindow type2() {
        return pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
    }

    /** A window of type 2 that is bound. */
    private MemoryWindow bound(MemoryBinding binding) {
        MemoryWindow window = type2();
        pair.succeeds(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), binding));
        return window;
    }

    private static String refused(Executable call) {
        return assertThrows(IllegalArgumentException.class, call).getMessage();
    }

    private static void says(String text, String... words) {
        for (String word : words) {
            assertTrue(text.contains(word), () -> "no '" + word + "' in: " + text);
        }
    }

    private MemoryBinding part(int access) {
        return new MemoryBinding(pair.region, BASE + 1000, 64, access);
    }

    @Test
    @DisplayName("W2 a window of type 1 gives access to its part and no more, with a new key for each binding")
    void typeOneIsBoundByVerb() {
        MemoryWindow window = type1();
        int free = window.rKey();
        pair.bind(new WorkRequest().id(1).bindWindow(window, part(READ | WRITE)));
        int first = window.rKey();
        assertEquals(free & ~0xFF, first & ~0xFF);
        assertNotEquals(free, first);
        pair.isUsable(BASE + 1000, first);
        pair.isUsable(BASE + 1056, first);
        pair.bind(new WorkRequest().id(2).bindWindow(window, new MemoryBinding(pair.region, BASE, 8, READ | WRITE)));
        pair.isUsable(BASE, window.rKey());
        pair.isRefused(BASE, first, true);
        assertEquals(2, pair.owner.nic.counter(NicCounter.WINDOWS_BOUND));
    }

    @Test
    @DisplayName("W3 a binding of length 0 ends that of a window of type 1")
    void lengthZeroUnbinds() {
        MemoryWindow window = type1();
        pair.bind(new WorkRequest().id(1).bindWindow(window, part(READ | WRITE)));
        int key = window.rKey();
        pair.bind(new WorkRequest().id(2).bindWindow(window, MemoryBinding.NONE));
        pair.region.close();
        pair.isRefused(BASE + 1000, key, false);
    }

    @Test
    @DisplayName("W2 a window of type 2 is bound by a work request, at the key that it names")
    void typeTwoIsBoundByWorkRequest() {
        MemoryWindow window = bound(part(READ | WRITE | ATOMIC));
        pair.isUsable(BASE + 1000, window.rKey());
        pair.memory.putLong(1008, 0);
        WorkCompletion atomic = pair.run(pair.peer,
            new WorkRequest().id(3).fetchAndAdd(BASE + 1008, window.rKey(), 5).add(pair.peer.region, 0, 8));
        assertEquals(CompletionStatus.SUCCESS, atomic.status(), atomic::toString);
        assertEquals(5, pair.memory.order(ByteOrder.nativeOrder()).getLong(1008));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 57, 64, -8})
    @DisplayName("W2 what lies outside the window is refused, although the region has it")
    void onlyThePartIsAccessible(long offset) {
        MemoryWindow window = bound(part(READ | WRITE));
        pair.isRefused(BASE + 1000 + offset, window.rKey(), offset != 64);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("W2 a window grants only its own rights")
    void onlyItsRightsAreGranted(boolean isRead) {
        MemoryWindow window = bound(part(isRead ? WRITE : READ));
        pair.isRefused(BASE + 1000, window.rKey(), isRead);
    }

    @Test
    @DisplayName("W2 the addresses of a zero-based window begin at 0")
    void zeroBasedWindowsBeginAtZero() {
        MemoryWindow window = bound(part(READ | WRITE | AccessFlags.ZERO_BASED));
        pair.isUsable(0, window.rKey());
        assertEquals(window.rKey(), (int) pair.memory.getLong(1000));
        pair.isUsable(56, window.rKey());
        pair.isRefused(57, window.rKey(), true);
    }

    @Test
    @DisplayName("W2 a WRITE of several packets through a window goes to its place in a region of several buffers")
    void aWindowLiesOverSeveralBuffers() {
        ByteBuffer first = ByteBuffer.allocateDirect(3000);
        ByteBuffer second = ByteBuffer.allocateDirect(3000);
        MemoryRegion region = pair.owner.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, 0, first, second);
        MemoryWindow window = bound(new MemoryBinding(region, 500, 5000, WRITE | AccessFlags.ZERO_BASED));
        for (int i = 0; i < 5000; i++) {
            pair.peer.memory.put(i, (byte) (i * 7));
        }
        WorkCompletion done = pair.run(pair.peer, new WorkRequest().id(9).write(0, window.rKey()).add(pair.peer.region, 0, 5000));
        assertTrue(done.isSuccess(), done::toString);
        for (int i = 0; i < 5000; i++) {
            assertEquals((byte) (i * 7), i < 2500 ? first.get(500 + i) : second.get(i - 2500), "byte " + i);
        }
    }

    @Test
    @DisplayName("W2 another queue pair of the domain serves a window of type 1, and not one of type 2B")
    void typeTwoBelongsToItsQueuePair() {
        MemoryWindow one = type1();
        pair.bind(new WorkRequest().id(1).bindWindow(one, part(READ | WRITE)));
        MemoryWindow two = bound(part(READ | WRITE));
        NicPair.End otherPeer = pair.nics.end(pair.nics.leftNic, null);
        pair.connect(otherPeer);
        WorkRequest read = new WorkRequest().id(4);
        assertTrue(pair.run(otherPeer, read.read(BASE + 1000, one.rKey()).add(otherPeer.region, 0, 8)).isSuccess());
        assertEquals(CompletionStatus.REM_ACCESS_ERR,
            pair.run(otherPeer, read.read(BASE + 1000, two.rKey()).add(otherPeer.region, 0, 8)).status());
        pair.isUsable(BASE + 1000, two.rKey());
    }

    @Test
    @DisplayName("W1 what a binding asks of the region: MW_BIND, LOCAL_WRITE for writes, its range, its domain, alignment for atomics")
    void bindingsThatTheRegionDoesNotAllowFail() {
        MemoryRegion plain = pair.owner.domain.register(AccessFlags.LOCAL_WRITE | WRITE, BASE, pair.memory);
        bindingFails(MemoryBinding.of(plain, READ), "MW_BIND");
        MemoryRegion readOnly = pair.owner.domain.register(AccessFlags.MW_BIND, BASE, pair.memory);
        bindingFails(MemoryBinding.of(readOnly, WRITE), "LOCAL_WRITE");
        bindingFails(MemoryBinding.of(readOnly, ATOMIC), "LOCAL_WRITE");
        bindingFails(new MemoryBinding(pair.region, BASE, BYTES + 1, READ), "4097 bytes");
        bindingFails(new MemoryBinding(pair.region, BASE - 1, 8, READ), "not in the region");
        bindingFails(new MemoryBinding(pair.region, BASE + 8, BYTES, READ | AccessFlags.ZERO_BASED), "not in the region");
        bindingFails(new MemoryBinding(pair.region, BASE + 4, 64, ATOMIC | AccessFlags.ZERO_BASED), "aligned");
        bindingFails(MemoryBinding.NONE, "LOCAL_INV");
        MemoryRegion foreign = pair.owner.nic.allocateProtectionDomain().register(AccessFlags.MW_BIND, BASE, pair.memory);
        bindingFails(MemoryBinding.of(foreign, READ), "domain");
        MemoryRegion closed = pair.owner.domain.register(AccessFlags.MW_BIND, BASE, pair.memory);
        closed.close();
        bindingFails(new MemoryBinding(closed, BASE, 8, READ), "closed");
    }

    private void bindingFails(MemoryBinding binding, String word) {
        MemoryWindow window = type2();
        int key = window.rKey();
        pair.fails(CompletionStatus.MW_BIND_ERR, new WorkRequest().id(1).bindWindow(window, window.nextRKey(), binding), word);
        assertEquals(key, window.rKey(), "the key in force");
        pair.reconnect();
    }

    @Test
    @DisplayName("W1 a window of another domain than the queue pair's is not bound")
    void windowsOfOtherDomainsFail() {
        MemoryWindow window = pair.owner.nic.allocateProtectionDomain().allocateWindow(MemoryWindowType.TYPE_2);
        pair.fails(CompletionStatus.MW_BIND_ERR, new WorkRequest().id(1).bindWindow(window, window.nextRKey(), part(READ)), "domain");
    }

    @Test
    @DisplayName("W3 a window of type 2 that is bound is not bound again before it is invalidated; the first binding stays")
    void aBoundWindowOfTypeTwoIsNotReboundDirectly() {
        MemoryWindow window = bound(part(READ | WRITE));
        int key = window.rKey();
        pair.fails(CompletionStatus.MW_BIND_ERR, new WorkRequest().id(2).bindWindow(window, window.nextRKey(), part(READ)), "invalidate");
        pair.reconnect();
        assertEquals(key, window.rKey());
        pair.isUsable(BASE + 1000, key);
    }

    @Test
    @DisplayName("W3 what no request can make right is refused when it is posted: type, rights, device, UD")
    void impossibleRequestsAreRefusedAtThePost() {
        MemoryWindow one = type1();
        MemoryWindow two = type2();
        QueuePair queuePair = pair.owner.pair;
        says(refused(() -> queuePair.postSend(new WorkRequest().bindWindow(one, one.nextRKey(), part(READ)))), "TYPE_1", "bindWindow");
        says(refused(() -> queuePair.bindWindow(new WorkRequest().bindWindow(two, part(READ)))), "TYPE_2", "postSend");
        says(refused(() -> queuePair.bindWindow(new WorkRequest().send())), "SEND", "postSend");
        says(refused(() -> queuePair.postSend(new WorkRequest().bindWindow(two, two.nextRKey(), part(AccessFlags.LOCAL_WRITE)))),
            "LOCAL_WRITE", "REMOTE_READ");
        says(refused(() -> queuePair.bindWindow(new WorkRequest().bindWindow(one, part(READ | AccessFlags.ZERO_BASED)))), "type 2");
        MemoryWindow foreign = pair.peer.domain.allocateWindow(MemoryWindowType.TYPE_2);
        says(refused(() -> queuePair.postSend(new WorkRequest().bindWindow(foreign, foreign.nextRKey(), part(READ)))), "another device");
        says(refused(() -> queuePair.postSend(new WorkRequest().bindWindow(two, two.nextRKey(), MemoryBinding.of(pair.peer.region, READ)))),
            "another device");
        says(refused(() -> new MemoryBinding(null, 0, 1, READ)), "region");
        assertEquals(0, queuePair.outstandingSends());
        assertEquals(QueuePairState.RTS, queuePair.state());
    }

    @Test
    @DisplayName("W7 a binding takes the owner's bits of the key that it names, and keeps the index of the window")
    void theIndexOfAWindowStays() {
        MemoryWindow window = type2();
        int free = window.rKey();
        pair.succeeds(new WorkRequest().id(1).bindWindow(window, ~free & ~0xFF | free + 9 & 0xFF, part(READ | WRITE)));
        assertEquals(free & ~0xFF | free + 9 & 0xFF, window.rKey());
        pair.isUsable(BASE + 1000, window.rKey());
    }

    @Test
    @DisplayName("W7 the owner's bits of a key are compared: no other key of the index gives access")
    void oldAndFutureKeysGiveNoAccess() {
        MemoryWindow window = bound(part(READ | WRITE));
        pair.isRefused(BASE + 1000, window.nextRKey(), true);
        pair.reconnect();
        pair.isRefused(BASE + 1000, window.rKey() - 1, true);
        pair.reconnect();
        pair.isUsable(BASE + 1000, window.rKey());
    }

    @Test
    @DisplayName("W2 the key of a window is no local key")
    void aWindowKeyIsNoLocalKey() {
        MemoryWindow window = bound(part(READ | WRITE));
        pair.fails(CompletionStatus.LOC_PROT_ERR, new WorkRequest().id(3).send().add(BASE + 1000, 8, window.rKey()), "local key");
    }

    @ParameterizedTest
    @EnumSource(MemoryWindowType.class)
    @DisplayName("W8 a window is deallocated while it is bound")
    void aBoundWindowIsClosed(MemoryWindowType type) {
        MemoryWindow window = boundOf(type);
        pair.isUsable(BASE + 1000, window.rKey());
        window.close();
        window.close();
        pair.isRefused(BASE + 1000, window.rKey(), false);
        pair.region.reregister(RegionChange.none().access(0));
    }

    @ParameterizedTest
    @EnumSource(MemoryWindowType.class)
    @DisplayName("W8 a window does not outlive its region, and may be bound to another")
    void aRegionIsClosedWithItsWindows(MemoryWindowType type) {
        MemoryWindow window = boundOf(type);
        pair.isUsable(BASE + 1000, window.rKey());
        pair.region.close();
        pair.region.close();
        pair.isRefused(BASE + 1000, window.rKey(), false);
        pair.reconnect();
        MemoryRegion other = pair.owner.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, BASE, pair.memory);
        bind(window, MemoryBinding.of(other, READ | WRITE));
        pair.isUsable(BASE + 1000, window.rKey());
    }

    @ParameterizedTest
    @EnumSource(MemoryWindowType.class)
    @DisplayName("W8 a region with a bound window is not deregistered, and the window stays")
    void aRegionWithAWindowIsNotDeregistered(MemoryWindowType type) {
        MemoryWindow window = boundOf(type);
        says(assertThrows(IllegalStateException.class, pair.region::deregister).getMessage(), "1 memory windows", "unbind");
        pair.isUsable(BASE + 1000, window.rKey());
        window.close();
        pair.region.deregister();
        pair.region.deregister();
        says(pair.region.toString(), "closed");
    }

    private MemoryWindow boundOf(MemoryWindowType type) {
        MemoryWindow window = type == MemoryWindowType.TYPE_1 ? type1() : type2();
        bind(window, part(READ | WRITE));
        return window;
    }

    private void bind(MemoryWindow window, MemoryBinding binding) {
        if (window.type() == MemoryWindowType.TYPE_1) {
            pair.bind(new WorkRequest().id(1).bindWindow(window, binding));
        } else {
            pair.succeeds(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), binding));
        }
    }

    @Test
    @DisplayName("W8 a binding posted before its window was closed fails, and the region is free")
    void aClosedWindowIsNotBound() {
        MemoryWindow window = type2();
        pair.owner.post(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), part(READ)));
        window.close();
        pair.nics.run();
        assertEquals(CompletionStatus.MW_BIND_ERR, pair.owner.take(1).status());
        pair.region.close();
    }

    @Test
    @DisplayName("W8 a domain closes its windows before its regions")
    void aDomainClosesBoundWindows() {
        MemoryWindow window = bound(part(READ));
        assertTrue(NicInspection.keys(pair.owner.nic) > 2);
        pair.owner.domain.close();
        assertEquals(0, NicInspection.keys(pair.owner.nic));
        assertThrows(IllegalStateException.class, () -> pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_1));
        window.close();
    }

    @Test
    @DisplayName("W3 Q14 requests behind a binding see it, and completions keep the order of posting")
    void aBindingRunsInItsPlace() {
        MemoryWindow window = type2();
        int key = window.nextRKey();
        pair.owner.memory.putInt(0, key);
        pair.owner.post(new WorkRequest().id(1).write(pair.peer.region.address(), pair.peer.region.rKey())
            .add(pair.owner.region, 64, 3000));
        pair.owner.post(new WorkRequest().id(2).bindWindow(window, key, part(READ | WRITE)));
        pair.owner.post(new WorkRequest().id(3).write(pair.peer.region.address() + 4096, pair.peer.region.rKey())
            .add(pair.owner.region, 0, 4));
        pair.owner.post(new WorkRequest().id(4).localInvalidate(key));
        pair.nics.run();
        for (int id = 1; id <= 4; id++) {
            assertTrue(pair.owner.take(id).isSuccess(), "request " + id);
        }
        assertEquals(key, pair.peer.memory.getInt(4096));
        pair.isRefused(BASE + 1000, key, true);
    }

    @Test
    @DisplayName("W3 an unsignaled binding completes silently; one that is flushed leaves the window as it was")
    void unsignaledAndFlushedBindings() {
        MemoryWindow window = type2();
        pair.owner.post(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), part(READ | WRITE)).signaled(false));
        pair.nics.run();
        assertEquals(0, pair.owner.pair.outstandingSends());
        pair.isUsable(BASE + 1000, window.rKey());
        MemoryWindow other = type2();
        int free = other.rKey();
        pair.owner.post(new WorkRequest().id(2).send().add(0xBAD, 8, 0xBAD00));
        pair.owner.post(new WorkRequest().id(3).bindWindow(other, other.nextRKey(), part(READ)));
        assertNotEquals(free, other.rKey());
        pair.nics.run();
        assertEquals(CompletionStatus.LOC_PROT_ERR, pair.owner.take(2).status());
        assertEquals(CompletionStatus.WR_FLUSH_ERR, pair.owner.take(3).status());
        assertEquals(free, other.rKey());
    }

    private MemoryRegion unbindable() {
        return pair.owner.domain.register(AccessFlags.LOCAL_WRITE, BASE, pair.memory);
    }

    private static void post(QueuePair queuePair, MemoryWindow window, MemoryBinding binding) {
        WorkRequest request = new WorkRequest().id(7);
        assertTrue(window.type() == MemoryWindowType.TYPE_1 ? queuePair.bindWindow(request.bindWindow(window, binding))
            : queuePair.postSend(request.bindWindow(window, window.nextRKey(), binding)));
    }

    @ParameterizedTest
    @EnumSource(MemoryWindowType.class)
    @DisplayName("W3 a binding that fails leaves the key of a later one, in another queue pair, which succeeds")
    void aFailedBindingLeavesTheKeyOfALaterOne(MemoryWindowType type) {
        QueuePair other = pair.connect(pair.nics.end(pair.nics.leftNic, null));
        MemoryWindow window = pair.owner.domain.allocateWindow(type);
        post(pair.owner.pair, window, MemoryBinding.of(unbindable(), READ));
        post(other, window, part(READ));
        int key = window.rKey();
        pair.nics.run();
        assertEquals(QueuePairState.ERROR, pair.owner.pair.state());
        assertEquals(QueuePairState.RTS, other.state());
        assertTrue(NicInspection.hasKey(pair.owner.nic, key));
        assertEquals(key, window.rKey());
    }

    @Test
    @DisplayName("W3 a binding that fails leaves the key of an earlier one, in another queue pair, which waits and succeeds")
    void aFailedBindingLeavesTheKeyOfAnEarlierOne() {
        QueuePair other = pair.connect(pair.nics.end(pair.nics.leftNic, null));
        MemoryWindow window = type2();
        pair.nics.toLeft.limit(0);
        pair.nics.steps(1);
        pair.owner.post(new WorkRequest().id(1).write(pair.peer.region.address(), pair.peer.region.rKey()).add(pair.owner.region, 0, 8));
        post(pair.owner.pair, window, part(READ));
        int key = window.rKey();
        post(other, window, MemoryBinding.of(unbindable(), READ));
        pair.nics.steps(5);
        assertEquals(QueuePairState.ERROR, other.state());
        pair.nics.toLeft.limit(1);
        pair.nics.run();
        assertTrue(NicInspection.hasKey(pair.owner.nic, key));
        assertEquals(key, window.rKey());
    }

    @ParameterizedTest
    @EnumSource(MemoryWindowType.class)
    @DisplayName("W3 a binding that a RESET drops leaves the key in force, and the next binding works")
    void aDroppedBindingLeavesTheKeyInForce(MemoryWindowType type) {
        MemoryWindow window = type == MemoryWindowType.TYPE_1 ? boundOf(type) : type2();
        int inForce = window.rKey();
        post(pair.owner.pair, window, part(READ));
        assertNotEquals(inForce, window.rKey());
        pair.owner.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        assertEquals(inForce, window.rKey());
        pair.reconnect();
        bind(window, part(READ | WRITE));
        pair.isUsable(BASE + 1000, window.rKey());
        int bound = window.rKey();
        post(pair.owner.pair, window, part(READ));
        pair.owner.pair.close();
        assertEquals(bound, window.rKey());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("W3 a binding that is posted while its queue pair is closed leaves the key in force")
    void aBindingPostedAtTheCloseLeavesTheKeyInForce(boolean deferred) {
        MemoryWindow window = type2();
        int inForce = window.rKey();
        NicInspection.onSlot(pair.owner.pair, pair.owner.pair::close);
        WorkRequest request = new WorkRequest().id(1).bindWindow(window, window.nextRKey(), part(READ));
        assertTrue(deferred ? pair.owner.pair.postSendDeferred(request) : pair.owner.pair.postSend(request));
        assertEquals(inForce, window.rKey());
    }
}
