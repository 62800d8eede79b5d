package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.verbs.AccessFlags;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that can be freed at any time is not registered. JDK 22 and later; reached by name, since this is compiled for JDK 17. */
class ArenaMemoryTest {
    private static final int JDK_WITH_ARENAS = 22;

    private final NicPair nics = new NicPair();

    private static ByteBuffer allocate(String arenaKind) throws ReflectiveOperationException {
        assumeTrue(Runtime.version().feature() >= JDK_WITH_ARENAS, "needs JDK " + JDK_WITH_ARENAS);
        Class<?> arenaType = Class.forName("java.lang.foreign.Arena");
        Object arena = arenaType.getMethod(arenaKind).invoke(null);
        Object segment = arenaType.getMethod("allocate", long.class, long.class).invoke(arena, 64L, 8L);
        return (ByteBuffer) Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer").invoke(segment);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ofConfined", "ofShared"})
    void memoryOfAnArenaThatCanBeClosedIsRefused(String arenaKind) throws ReflectiveOperationException {
        ByteBuffer buffer = allocate(arenaKind);
        for (ByteBuffer memory : new ByteBuffer[] {buffer, buffer.slice(8, 16), buffer.asReadOnlyBuffer()}) {
            String text = assertThrows(IllegalArgumentException.class, () -> nics.left.domain.register(memory, AccessFlags.REMOTE_READ))
                .getMessage();
            assertTrue(text.contains("arena") && text.contains("Arena.ofAuto"), text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ofAuto", "global"})
    void memoryOfAnArenaThatStaysIsRegistered(String arenaKind) throws ReflectiveOperationException {
        assertEquals(64, nics.left.domain.register(allocate(arenaKind), AccessFlags.ALL).length());
    }

    @Test
    void directBuffersAreRegistered() {
        assertEquals(64, nics.left.domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL).length());
    }
}
