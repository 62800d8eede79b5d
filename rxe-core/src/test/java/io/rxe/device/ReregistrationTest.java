package io.rxe.device;

import static io.rxe.device.WindowPair.BASE;
import static io.rxe.device.WindowPair.BYTES;
import static io.rxe.device.WindowPair.READ;
import static io.rxe.device.WindowPair.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Re-registration of a region, idle and under traffic: rule W9. */
class ReregistrationTest {
    private static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND | READ | WRITE;

    private final WindowPair pair = new WindowPair();
    private final MemoryRegion region = pair.owner.domain.register(ALL, BASE, pair.memory);

    @Test
    @DisplayName("W9 access rights change, and the keys stay")
    void accessChanges() {
        int key = region.rKey();
        pair.isUsable(BASE, key);
        region.reregister(RegionChange.none().access(AccessFlags.LOCAL_WRITE | READ));
        assertEquals(key, region.rKey());
        assertEquals(AccessFlags.LOCAL_WRITE | READ, region.access());
        WorkCompletion read = pair.run(pair.peer, new WorkRequest().id(1).read(BASE, key).add(pair.peer.region, 0, 8));
        assertTrue(read.isSuccess(), read::toString);
        pair.isRefused(BASE, key, false);
        region.reregister(RegionChange.none().access(ALL));
        pair.reconnect();
        pair.isUsable(BASE, key);
    }

    @Test
    @DisplayName("W9 a region moves to another domain, and is closed with that one")
    void theDomainChanges() {
        ProtectionDomain other = pair.owner.nic.allocateProtectionDomain();
        region.reregister(RegionChange.none().domain(other));
        pair.isRefused(BASE, region.rKey(), true);
        region.reregister(RegionChange.none().domain(pair.owner.domain));
        pair.reconnect();
        pair.isUsable(BASE, region.rKey());
        region.reregister(RegionChange.none().domain(other).access(AccessFlags.LOCAL_WRITE));
        int key = region.rKey();
        assertTrue(NicInspection.hasKey(pair.owner.nic, key));
        other.close();
        assertTrue(!NicInspection.hasKey(pair.owner.nic, key));
    }

    @Test
    @DisplayName("W9 addresses and memory change in the middle of a WRITE: each packet goes to the old or to the new memory, whole")
    void theMemoryChangesUnderTraffic() {
        int length = 64 * 1024;
        ByteBuffer first = ByteBuffer.allocateDirect(length);
        ByteBuffer second = ByteBuffer.allocateDirect(length);
        MemoryRegion moved = pair.owner.domain.register(ALL, BASE, first);
        for (int i = 0; i < length; i++) {
            pair.peer.memory.put(i, (byte) (1 + i / 1024));
        }
        pair.nics.toRight.limit(4);
        pair.peer.post(new WorkRequest().id(3).write(BASE, moved.rKey()).add(pair.peer.region, 0, length));
        pair.nics.steps(5);
        moved.reregister(RegionChange.none().memory(BASE, second));
        int arrived = 0;
        while (arrived < length && first.get(arrived) != 0) {
            arrived++;
        }
        assertTrue(arrived > 0 && arrived < length, "bytes in the old memory: " + arrived);
        pair.nics.run();
        assertTrue(pair.peer.take(3).isSuccess());
        for (int i = 0; i < length; i++) {
            assertEquals(i < arrived ? (byte) (1 + i / 1024) : 0, first.get(i), "byte " + i + " of the old memory");
            assertEquals(i < arrived ? 0 : (byte) (1 + i / 1024), second.get(i), "byte " + i + " of the new memory");
        }
        moved.reregister(RegionChange.none().memory(0, second.slice(0, 64)));
        assertEquals(0, moved.address());
        assertEquals(64, moved.length());
        pair.isUsable(56, moved.rKey());
        pair.isRefused(57, moved.rKey(), true);
    }

    @Test
    @DisplayName("W9 an outstanding SEND whose memory loses its domain fails, and sends nothing more")
    void localKeysAreCheckedToo() {
        pair.owner.post(new WorkRequest().id(4).send().add(region, 0, 8));
        region.reregister(RegionChange.none().domain(pair.owner.nic.allocateProtectionDomain()));
        pair.nics.run();
        assertEquals(CompletionStatus.LOC_PROT_ERR, pair.owner.take(4).status());
    }

    @Test
    @DisplayName("W9 a change that cannot be made is refused, and the region stays as it was")
    void wrongChangesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> region.reregister(RegionChange.none().access(WRITE)));
        assertThrows(IllegalArgumentException.class, () -> region.reregister(RegionChange.none().memory(0, ByteBuffer.allocate(8))));
        assertThrows(IllegalArgumentException.class,
            () -> region.reregister(RegionChange.none().memory(0, pair.memory.asReadOnlyBuffer())));
        assertThrows(IllegalArgumentException.class, () -> region.reregister(
            RegionChange.none().memory(1, ByteBuffer.allocateDirect(64)).access(ALL | AccessFlags.REMOTE_ATOMIC)));
        assertThrows(IllegalArgumentException.class, () -> region.reregister(RegionChange.none().domain(pair.peer.domain)));
        ProtectionDomain closed = pair.owner.nic.allocateProtectionDomain();
        closed.close();
        assertThrows(IllegalStateException.class, () -> region.reregister(RegionChange.none().domain(closed)));
        pair.isUsable(BASE + BYTES - 8, region.rKey());
        MemoryWindow window = pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        pair.succeeds(new WorkRequest().id(1).bindWindow(window, window.nextRKey(), MemoryBinding.of(region, READ | WRITE)));
        String text = assertThrows(IllegalStateException.class, () -> region.reregister(RegionChange.none().access(0))).getMessage();
        assertTrue(text.contains("1 memory windows"), text);
        pair.isUsable(BASE, window.rKey());
        window.close();
        region.reregister(RegionChange.none().access(AccessFlags.LOCAL_WRITE));
        region.close();
        assertThrows(IllegalStateException.class, () -> region.reregister(RegionChange.none().access(0)));
        assertThrows(IllegalStateException.class,
            () -> pair.owner.domain.allocateRegion(1).reregister(RegionChange.none().access(0)));
    }

    @Test
    @DisplayName("W9 a region whose key the peer invalidated is not registered again under it")
    void invalidatedRegionsStayInvalid() {
        MemoryRegion open = pair.owner.domain.register(ALL | AccessFlags.REMOTE_INVALIDATE, BASE, pair.memory);
        pair.invalidatesByPeer(open.rKey());
        assertThrows(IllegalStateException.class, () -> open.reregister(RegionChange.none().access(ALL)));
        open.close();
        assertTrue(!NicInspection.hasKey(pair.owner.nic, open.rKey()));
    }
}
