package io.rxe.bench.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.junit.RxeNics;
import io.rxe.net.RxeNic;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Both ways do every work to its end")
@Timeout(240)
class ConnectCostTest {
    @Test
    @RxeNics(2)
    void everyWorkIsDone(RxeNic here, RxeNic there) throws Exception {
        for (int receives : Arrays.stream(Work.values()).mapToInt(Work::receives).distinct().toArray()) {
            everyWorkIsDone(here, there, receives);
        }
    }

    private static void everyWorkIsDone(RxeNic here, RxeNic there, int receives) throws Exception {
        try (Contender verbs = new VerbsContender(here, there, receives);
             Contender connect = new ConnectContender(here, there, receives)) {
            for (Work work : Work.values()) {
                long before = there.countersByName().get("sent_pkts");
                verbs.run(work, 70);
                long between = there.countersByName().get("sent_pkts");
                connect.run(work, 70);
                long after = there.countersByName().get("sent_pkts");
                long least = work == Work.READ_64K ? 70 : 70L * Math.max(1, work.bytes() / 4096);
                assertTrue(between - before >= least && after - between >= least, () -> work + ": " + before + " " + between + " " + after);
            }
        }
    }

    @Test
    @DisplayName("a line has the medians, the quartiles of the ratios, and what follows from them")
    void aLine() {
        assertEquals("FETCH_AND_ADD            8       200000       190000  0.95 (0.93..0.97) within 10 %",
            rates(0.95, 0.90, 0.99, 0.93, 0.97));
        assertEquals("FETCH_AND_ADD            8       200000       170000  0.85 (0.84..0.91) within noise of 10 %",
            rates(0.85, 0.91, 0.70, 0.84, 0.93));
        assertEquals("FETCH_AND_ADD            8       200000       120000  0.60 (0.50..0.89) slower", rates(0.60, 0.89, 0.40, 0.50, 0.93));
    }

    private static String rates(double... ratios) {
        double[] ofVerbs = new double[ratios.length];
        Arrays.fill(ofVerbs, 200_000);
        return new ConnectCost.Rates(Work.FETCH_ADD, ofVerbs, Arrays.stream(ratios).map(ratio -> ratio * 200_000).toArray()).line();
    }
}
