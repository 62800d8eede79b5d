package io.rxe.bench.compare;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The arithmetic of a row")
class WorkRowTest {
    private static final Work RATE = Work.of("work", "1/s", false, "ours").within(List.of("c", "gather"), "java").with("peer", "peer");

    @Test
    void aSpreadIsMedianLeastAndMost() {
        assertEquals(new Spread(3, 1, 9), Spread.of(9, 1, 3));
        assertEquals(new Spread(4, 1, 9), Spread.of(9, 1, 3, 5), "of an even number the mean of the middle two");
        assertEquals(new Spread(2, 2, 2), Spread.of(Double.NaN, 2), "a round without a sample does not count");
        assertFalse(Spread.of(Double.NaN).isKnown());
    }

    @Test
    void aSpreadPrintsAsManyDigitsAsMeanSomething() {
        assertEquals("27.39 (26.10..28.00)", Spread.of(27.391, 26.1, 28).toText());
        assertEquals("1234 (999.9..1235)", Spread.of(1234.4, 999.94, 1235).toText());
        assertEquals("7.00", Spread.of(7, 7.001).toText(), "samples that print alike are one");
        assertEquals("", Spread.of().toText());
    }

    @Test
    void theLimitIsTheBestOfCAndJavaInEachRound() {
        WorkRow row = row(RATE, new double[][] {{50, 100, 90, 80}, {60, 80, 90, 120}, {90, 100, 110, 100}}, "ours", "c", "gather", "java");
        assertEquals(new Spread(110, 100, 120), row.figure(Works.LIMIT));
        assertEquals(new Spread(100, 90, 110), row.figure(PeerJobs.RAW_C), "the better of both ways in C");
        assertEquals(new Spread(0.5, 0.5, 90.0 / 110), row.ratio(Works.LIMIT), "the median of the ratios, each of one round");
    }

    @Test
    void theBestTimeIsTheShortest() {
        Work time = Work.of("trip", "us", true, "ours").within(List.of("c"), "java");
        assertEquals(5, row(time, new double[][] {{9, 5, 6}}, "ours", "c", "java").figure(Works.LIMIT).median());
    }

    @Test
    void aRoundThatFailedCountsForNeither() {
        Figures figures = new Figures(2);
        figures.add(0, Map.of("ours", 8.0));
        figures.add(1, Map.of("ours", 6.0, "peer", 3.0));
        WorkRow row = new WorkRow(RATE, figures);
        assertEquals(new Spread(7, 6, 8), row.ours());
        assertEquals(new Spread(2, 2, 2), row.ratio("peer"));
        assertFalse(row.ratio(Works.LIMIT).isKnown());
        assertFalse(row.ratio("nobody").isKnown());
    }

    @Test
    void aGoalIsMetOrMissedByTheMedianOfTheRatios() {
        double[][] samples = {{8, 10}, {8, 10}};
        assertEquals("met", row(RATE.goal("peer", 0.8), samples, "ours", "peer").verdict());
        assertEquals("missed: 0.81 peer", row(RATE.goal("peer", 0.81), samples, "ours", "peer").verdict());
        assertEquals("met", row(RATE.goal(Works.ABSOLUTE, 8), samples, "ours", "peer").verdict());
        assertEquals("missed: 9.00", row(RATE.goal(Works.ABSOLUTE, 9), samples, "ours", "peer").verdict());
        assertEquals("", row(RATE.goal(Works.LIMIT, 9), samples, "ours", "peer").verdict(), "nothing is known of the limit");
        Work time = Work.of("trip", "us", true, "ours").with("peer", "peer");
        assertEquals("missed: 0.79 peer", row(time.goal("peer", 0.79), samples, "ours", "peer").verdict());
        assertEquals("met", row(time.goal("peer", 0.8), samples, "ours", "peer").verdict());
    }

    @Test
    void aGoalBetweenTheRatiosOfTheRoundsIsWithinNoise() {
        double[][] samples = {{7, 10}, {8, 10}, {9, 10}};
        assertEquals("missed within noise: 0.85 peer", row(RATE.goal("peer", 0.85), samples, "ours", "peer").verdict());
        assertEquals("met; met within noise: 0.75 peer", row(RATE.goal("peer", 0.75), samples, "ours", "peer").verdict());
        assertEquals("missed: 0.95 peer; met within noise: 0.75 peer",
            row(RATE.goal("peer", 0.95).goal("peer", 0.75), samples, "ours", "peer").verdict());
        assertEquals("met", row(RATE.goal("peer", 0.6), samples, "ours", "peer").verdict(), "no round is below");
    }

    @Test
    void figuresKeepSixDigitsAndRefuseMoreSamplesThanRounds() {
        Figures figures = new Figures(2);
        figures.add(1, Map.of("x", 1234567.8, "y", Double.POSITIVE_INFINITY));
        assertArrayEquals(new double[] {Double.NaN, 1234570}, figures.best(List.of("x"), false));
        assertEquals(Map.of("x", List.of(Double.NaN, 1234570.0)), figures.samples(), "infinity is no figure");
        assertThrows(IllegalArgumentException.class, () -> Figures.ofJson(1, Map.of("x", List.of(1.0, 2.0))));
        assertTrue(Figures.ofJson(1, Map.of()).samples().isEmpty());
    }

    private static WorkRow row(Work work, double[][] rounds, String... names) {
        Figures figures = new Figures(rounds.length);
        for (int round = 0; round < rounds.length; round++) {
            for (int i = 0; i < names.length; i++) {
                figures.add(round, Map.of(names[i], rounds[round][i]));
            }
        }
        return new WorkRow(work, figures);
    }
}
