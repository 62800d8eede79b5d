package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ResultTableTest {
    @Test
    void alignsTheFirstColumnToTheLeftAndTheOthersToTheRight() {
        ResultTable table = new ResultTable("name", "count", "us");
        table.row("a", "1", "2.25");
        table.row("longer", "1234567", "9");
        assertEquals("""
            name      count    us
            a             1  2.25
            longer  1234567     9
            """, table.render());
    }
}
