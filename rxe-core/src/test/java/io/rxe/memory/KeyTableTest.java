package io.rxe.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.OwnThread;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyTableTest {
    private static final int SHARED_BITS = 1 << 14;

    /** A key of an index; its low byte says nothing about the place. */
    private static int key(int index) {
        return index << Byte.SIZE | 0x5A;
    }

    private static Region region(int key) {
        return new Region(key, 1, 0, 0, new BufferList(ByteBuffer.allocate(8)));
    }

    @Test
    void agreesWithAMapWhileItGrows() {
        KeyTable table = new KeyTable();
        Map<Integer, Region> model = new HashMap<>();
        Random random = new Random(16);
        for (int step = 0; step < 50_000; step++) {
            // Few of the low bits: long chains.
            int key = key(random.nextInt(500) * SHARED_BITS + random.nextInt(8));
            Region known = model.get(key);
            assertSame(known, table.find(key));
            if (known == null) {
                Region added = region(key);
                assertNotNull(table.add(KeySlot.Type.REGION, added));
                model.put(key, added);
            } else if (random.nextInt(3) == 0) {
                table.remove(table.slot(model.remove(key).key()));
                assertNull(table.find(key));
            } else {
                assertNull(table.add(KeySlot.Type.REGION, region(key)), "a key in use");
            }
            assertEquals(model.size(), table.size());
        }
        assertTrue(model.size() > 1000, () -> "only " + model.size() + " regions: the table did not grow");
    }

    @Test
    void whatStaysIsFoundWhileOthersComeAndGo() throws Exception {
        KeyTable table = new KeyTable();
        List<Region> staying = IntStream.range(0, 32).mapToObj(i -> region(key(i * SHARED_BITS))).toList();
        staying.forEach(region -> table.add(KeySlot.Type.REGION, region));
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Long> reader = CompletableFuture.supplyAsync(() -> {
            long missed = 0;
            do {
                missed += staying.stream().filter(region -> table.find(region.key()) != region).count();
            } while (!stop.get());
            return missed;
        }, OwnThread::run);
        try {
            for (int round = 1; round <= 200; round++) {
                List<Region> passing = IntStream.range(1, 300).mapToObj(i -> region(key(i * SHARED_BITS + 1 + i % 3))).toList();
                passing.forEach(region -> assertNotNull(table.add(KeySlot.Type.REGION, region)));
                passing.forEach(region -> table.remove(table.slot(region.key())));
            }
        } finally {
            stop.set(true);
        }
        assertEquals(0, reader.get(60, TimeUnit.SECONDS));
        assertEquals(staying.size(), table.size());
    }
}
