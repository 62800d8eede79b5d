package io.rxe.testkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class AgentLineTest {
    @Test
    void aLineIsAWordAndValues() {
        AgentLine line = AgentLine.parse("send name=qp1 wr_id=7 rkey=0xffffffff remote=18446744073709551615 flags=signaled,fence");

        assertEquals("send", line.word());
        assertEquals("qp1", line.text("name"));
        assertEquals(7, line.integer("wr_id"));
        assertEquals(-1, line.integer("rkey"));
        assertEquals(-1L, line.number("remote"));
        assertEquals(List.of("signaled", "fence"), line.list("flags", ""));
        assertFalse(line.has("imm"));
        assertEquals(3, line.integer("imm", 3));
    }

    @Test
    void anEmptyListAndNoneAreEqual() {
        assertEquals(List.of(), AgentLine.parse("recv sge=").list("sge", ""));
        assertEquals(List.of(), AgentLine.parse("send flags=none").list("flags", "signaled"));
        assertEquals(List.of("signaled"), AgentLine.parse("send").list("flags", "signaled"));
    }

    @Test
    void aWordWithoutValueIsRefused() {
        IllegalArgumentException refusal =
            assertThrows(IllegalArgumentException.class, () -> AgentLine.parse("send name"));

        assertEquals("'name' is not key=value", refusal.getMessage());
    }

    @Test
    void aMissingKeyAndAWrongNumberAreReported() {
        AgentLine line = AgentLine.parse("poll count=many");

        assertEquals("poll needs name=...", assertThrows(IllegalArgumentException.class, () -> line.text("name")).getMessage());
        assertEquals("count 'many' is not a number of 64 bits, decimal or with 0x",
            assertThrows(IllegalArgumentException.class, () -> line.integer("count")).getMessage());
    }
}
