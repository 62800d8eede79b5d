package io.rxe.testkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The expected bytes were printed by tools/interop/pattern.py: both agents must agree. */
class FillPatternTest {
    @Test
    void hasTheBytesOfThePythonAgent() {
        AgentMemory memory = new AgentMemory(ByteBuffer.allocateDirect(200_000), null);

        new FillPattern(11).fill(memory.buffer(), 0, 200_000);

        assertEquals("b0bacd3a0f0bb64b76bf8569101b00d0", hex(memory.read(0, 16)));
        assertEquals("dd4038f56025d1533c52e3c13cb00627", hex(memory.read(65536, 16)));
        assertEquals("184470bd977d813f29dbbd25763af94a21a08fbdcf452aec940ed2a8418d8909", hex(memory.sha256(0, 200_000)));
    }

    @Test
    void writesOnlyItsRange() {
        AgentMemory memory = new AgentMemory(ByteBuffer.allocateDirect(40), null);

        new FillPattern(11).fill(memory.buffer(), 12, 4);

        assertEquals("00".repeat(12) + "b0bacd3a" + "00".repeat(24), hex(memory.read(0, 40)));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
