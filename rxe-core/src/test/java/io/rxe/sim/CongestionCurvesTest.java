package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The pictures of docs/congestion.md show who sends when, a line for each value. */
class CongestionCurvesTest {
    @Test
    void aJoinShowsWhoSends() {
        for (String controller : List.of("delay", "dcqcn")) {
            List<CongestionCurves.Sample> samples = CongestionCurves.join(controller, 2_000_000);
            assertTrue(rate(samples, 0, 5, 25) > 0.7e9 && rate(samples, 1, 5, 25) == 0, controller + ": NIC 1 is alone");
            assertTrue(rate(samples, 0, 30, 75) > 0 && rate(samples, 1, 30, 75) > 0, controller + ": both send");
            assertTrue(rate(samples, 0, 90, 100) == 0 && rate(samples, 1, 90, 100) > 0.3e9, controller + ": NIC 2 is alone");
            assertTrue(samples.stream().anyMatch(sample -> sample.windowBytes()[0] > 0 && sample.queuedBytes() > 0), controller);
        }
    }

    private static double rate(List<CongestionCurves.Sample> samples, int sender, int from, int to) {
        return samples.subList(from, to).stream().mapToDouble(sample -> sample.bitsPerSecond()[sender]).average().orElseThrow();
    }

    @Test
    void everyValueHasALine() {
        assertEquals(2 * (2 + 2 + 1 + 2 + 2 + 8 + 8 + 1), CongestionCurves.draw(200_000).split("<polyline", -1).length - 1,
            "two windows, two rates, the queue, two names, two changes; eight windows, eight rates, the queue");
    }
}
