package io.rxe.tools.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Marks that are merged when there are too many")
class MarkSeriesTest {
    private static final int MOST = 100;

    private static void assertHolds(MarkSeries series, int packets, long low, long high) {
        long count = 0;
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (MarkSeries.Mark mark : series.all()) {
            count += mark.count();
            lowest = Math.min(lowest, mark.low());
            highest = Math.max(highest, mark.high());
        }
        assertEquals(packets, count);
        assertEquals(low, lowest);
        assertEquals(high, highest);
    }

    @Test
    void noPacketIsLostAndTheirNumberIsBounded() {
        MarkSeries series = new MarkSeries(MOST);
        for (int i = 0; i < 100_000; i++) {
            series.add(10L * i, i, i + 1, "1", "SEND", i);
        }
        assertTrue(series.all().size() <= MOST && series.all().size() > MOST / 8, series.all().size() + " marks");
        assertHolds(series, 100_000, 0, 100_000);
        series.limit(10);
        assertTrue(series.all().size() <= 10, series.all().size() + " marks");
        assertHolds(series, 100_000, 0, 100_000);
    }

    @Test
    void fewPacketsKeepTheirOwnMarks() {
        MarkSeries series = new MarkSeries(MOST);
        for (int i = 0; i < MOST; i++) {
            series.add(i, i, i, Integer.toString(i), "SEND", i);
        }
        assertEquals(MOST, series.all().size());
        assertEquals("42", series.all().get(42).frame());
    }

    @Test
    void aClockThatStepsBackHarmsNothing() {
        MarkSeries series = new MarkSeries(MOST);
        for (int i = 0; i < 1000; i++) {
            series.add(i % 2 == 0 ? 5_000_000 : 0, i, i, "1", "SEND", i);
        }
        assertHolds(series, 1000, 0, 999);
    }
}
