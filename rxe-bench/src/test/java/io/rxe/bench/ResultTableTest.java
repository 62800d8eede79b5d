package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ResultTableTest {
    @Test
    void alignsTextToTheLeftAndNumbersToTheRight() {
        ResultTable table = new ResultTable().text("name").number("count").text("note");
        table.row("a", "1", "first").row("longer", "1234567", "");
        assertEquals("""
            name      count  note
            a             1  first
            longer  1234567
            """, table.render());
    }

    @Test
    void refusesARowOfAnotherWidth() {
        ResultTable table = new ResultTable().text("one").text("two");
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> table.row("x"));
        assertEquals("1 cells for 2 columns", refused.getMessage());
    }
}
