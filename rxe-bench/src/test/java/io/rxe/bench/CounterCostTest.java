package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class CounterCostTest {
    @Test
    void theCostIsTheMedianOverTheRoundsSoThatOneBadRoundDoesNotCount() {
        List<CounterCost.Round> rounds = List.of(new CounterCost.Round(990, 1000), new CounterCost.Round(500, 1000),
            new CounterCost.Round(1000, 1000));
        assertEquals(0.01, CounterCost.medianCost(rounds), 1e-9);
        String text = CounterCost.toText(rounds, 64, "a machine");
        assertTrue(text.contains("     2          500        1,000   50.00%"), text);
        assertTrue(text.contains("median          990        1,000    1.00%"), text);
        assertTrue(text.endsWith("a machine\n"), text);
    }

    @Test
    void anEvenNumberOfRoundsIsHalvedBetweenTheMiddleOnes() {
        assertEquals(0.15, CounterCost.medianCost(List.of(new CounterCost.Round(90, 100), new CounterCost.Round(80, 100))), 1e-9);
    }
}
