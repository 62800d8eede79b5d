package io.rxe.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("the P_Key table")
class PartitionKeysTest {
    private static String refused(String list) {
        return assertThrows(IllegalArgumentException.class, () -> PartitionKeys.parse(list)).getMessage();
    }

    @ParameterizedTest
    @CsvSource({
        "0xffff, 0xffff, true", "0xffff, 0x7fff, true", "0x7fff, 0xffff, true", "0x7fff, 0x7fff, false",
        "0x8001, 0x8001, true", "0x8001, 0x0001, true", "0x0001, 0x8001, true", "0x0001, 0x0001, false",
        "0x8001, 0x8002, false", "0x8001, 0x0002, false", "0x0001, 0x8002, false", "0x8001, 0xffff, false", "0x8001, 0x8000, false"})
    @DisplayName("two P_Keys match if the partition is the same and not both are limited members")
    void matches(String one, String other, boolean expected) {
        assertEquals(expected, PartitionKeys.matches(Integer.decode(one), Integer.decode(other)));
    }

    @Test
    @DisplayName("a table is read in the order of its indexes, and printed so that it can be read again")
    void read() {
        PartitionKeys table = PartitionKeys.parse("0xffff,0x8001,0X1,0x7FFE");
        assertEquals(List.of(0xFFFF, 0x8001, 1, 0x7FFE), table.keys());
        assertEquals(4, table.size());
        assertEquals(0x8001, table.key(1));
        assertEquals("0xffff,0x8001,0x0001,0x7ffe", table.toString());
        assertEquals(table, PartitionKeys.parse(table.toString()));
        assertEquals(table.hashCode(), PartitionKeys.parse(table.toString()).hashCode());
        assertNotEquals(table, PartitionKeys.DEFAULT);
        assertEquals(List.of(0xFFFF), PartitionKeys.DEFAULT.keys());
    }

    @Test
    @DisplayName("the entry for a peer's P_Key is a full member's, else a limited one's, else there is none")
    void indexFor() {
        PartitionKeys table = PartitionKeys.of(0x0001, 0x8001, 0xFFFF, 0x0002);
        assertEquals(1, table.indexFor(0x8001), "0x0001 matches too, and is limited");
        assertEquals(1, table.indexFor(0x0001));
        assertEquals(2, table.indexFor(0x7FFF));
        assertEquals(3, table.indexFor(0x8002));
        assertEquals(-1, table.indexFor(0x0002), "limited members do not reach each other");
        assertEquals(-1, table.indexFor(0x8003));
        assertEquals(-1, table.indexFor(0), "no partition");
    }

    @Test
    @DisplayName("a table of wrong P_Keys is refused with the P_Key, the limit and the remedy")
    void refused() {
        for (String invalid : List.of("0x0", "0x8000", "0x18001", "0x10000")) {
            String text = refused("0xffff," + invalid);
            assertTrue(text.contains(PartitionKeys.text(Integer.decode(invalid))) && text.contains("0x8001..0xffff"), text);
        }
        String twice = refused("0x8001,0xffff,0x8001");
        assertTrue(twice.contains("0x8001") && twice.contains("twice"), twice);
        for (String word : List.of("", "8001", "0xffff,x", "0x8001, 0x8002", "0x", "65535", "0x123456789")) {
            String text = refused(word);
            assertTrue(text.contains("no P_Key") && text.contains("hexadecimal"), text);
        }
        String none = assertThrows(IllegalArgumentException.class, PartitionKeys::of).getMessage();
        assertTrue(none.contains("0 P_Keys") && none.contains("1..128"), none);
        int[] most = IntStream.rangeClosed(1, PartitionKeys.MAX_KEYS).toArray();
        assertEquals(128, PartitionKeys.of(most).size());
        int[] tooMany = IntStream.rangeClosed(1, PartitionKeys.MAX_KEYS + 1).toArray();
        String many = assertThrows(IllegalArgumentException.class, () -> PartitionKeys.of(tooMany)).getMessage();
        assertTrue(many.contains("129 P_Keys") && many.contains("1..128"), many);
        assertThrows(IllegalArgumentException.class, () -> PartitionKeys.of(-1));
    }

    @Test
    @DisplayName("an index beyond the table is refused with the index, the limit and the remedy")
    void indexes() {
        PartitionKeys table = PartitionKeys.of(0xFFFF, 0x8001);
        for (int index : new int[] {-1, 2}) {
            String text = assertThrows(IllegalArgumentException.class, () -> table.key(index)).getMessage();
            assertTrue(text.contains("index " + index) && text.contains("0..1") && text.contains("--pkeys"), text);
        }
    }
}
