package io.rxe.bench.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.junit.RxeNics;
import io.rxe.net.RxeNic;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Both ways do every work to its end")
@Timeout(240)
class ConnectCostTest {
    @Test
    @RxeNics(2)
    void everyWorkIsDone(RxeNic here, RxeNic there) throws Exception {
        try (Contender verbs = new VerbsContender(here, there); Contender connect = new ConnectContender(here, there)) {
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
    void aLineHasBothRatesAndTheirRatio() {
        assertEquals("FETCH_AND_ADD            8       200000       190000             0.95",
            ConnectCost.line(Work.FETCH_ADD, new double[] {200_000, 190_000}));
    }
}
