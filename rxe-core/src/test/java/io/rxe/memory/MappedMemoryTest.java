package io.rxe.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Mapped memory, copied by long as on AArch64")
class MappedMemoryTest {
    private static final int PAGE = 4096;
    private static final int MOST = 40;
    /** Enough to be compiled, in which a fault comes another way than in the interpreter. */
    private static final int ROUNDS = 20_000;

    @Test
    @DisplayName("every length from every offset is copied, and nothing beside it")
    void copies() {
        UnsafeBuffer from = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * MOST));
        for (int i = 0; i < from.capacity(); i++) {
            from.putByte(i, (byte) (i + 1));
        }
        for (int length = 0; length < MOST; length++) {
            for (int at = 0; at < Long.BYTES; at++) {
                UnsafeBuffer to = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * MOST));
                MappedMemory.copyByLong(from, at, to, 3, length);
                for (int i = 0; i < to.capacity(); i++) {
                    assertEquals(i < 3 || i >= 3 + length ? 0 : at + i - 3 + 1, to.getByte(i), "byte " + i + " of " + length);
                }
            }
        }
    }

    @Test
    @DisplayName("a fault is thrown, in interpreted and in compiled code, at reading and at writing")
    void faults(@TempDir Path folder) throws Exception {
        UnsafeBuffer other = new UnsafeBuffer(ByteBuffer.allocateDirect(PAGE));
        try (FileChannel file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            UnsafeBuffer mapped = new UnsafeBuffer(file.map(FileChannel.MapMode.READ_WRITE, 0, 2 * PAGE));
            file.truncate(PAGE);
            expectFaults(mapped, other);
            for (int i = 0; i < ROUNDS; i++) {
                MappedMemory.copyByLong(mapped, 0, other, 0, MOST);
                MappedMemory.copyByLong(other, 0, mapped, 0, MOST);
            }
            expectFaults(mapped, other);
        }
    }

    private static void expectFaults(UnsafeBuffer mapped, UnsafeBuffer other) {
        assertThrows(InternalError.class, () -> {
            MappedMemory.copyByLong(mapped, PAGE - MOST, other, 0, 2 * MOST);
            MappedMemory.deliverFault();
        });
        assertThrows(InternalError.class, () -> {
            MappedMemory.copyByLong(other, 0, mapped, PAGE - MOST, 2 * MOST);
            MappedMemory.deliverFault();
        });
    }
}
