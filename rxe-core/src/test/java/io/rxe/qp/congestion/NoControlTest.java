package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.rxe.verbs.CongestionOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NoControlTest {
    private static final long BUFFER_BYTES = 1 << 20;
    private static final long MOST_BYTES = 64 << 20;

    private final CongestionControl control = CongestionControl.of(CongestionOptions.NONE, BUFFER_BYTES, MOST_BYTES, 4096);

    @Test
    @DisplayName("the window is what the buffers hold, and the most of any path where packets travel for 100 us and more")
    void theWindowIsWhatIsConfigured() {
        assertEquals(BUFFER_BYTES, control.windowBytes());
        control.onSample(99_999, 0, 0, true, 1);
        assertEquals(BUFFER_BYTES, control.windowBytes());
        CongestionControl far = CongestionControl.of(CongestionOptions.NONE, BUFFER_BYTES, MOST_BYTES, 4096);
        far.onSample(100_000, 0, 0, false, 1);
        assertEquals(MOST_BYTES, far.windowBytes());
        assertEquals(BUFFER_BYTES, CongestionControl.of(CongestionOptions.NONE, BUFFER_BYTES, 1, 4096).windowBytes());
    }

    @Test
    @DisplayName("neither CNPs nor losses nor long round trips change it, and nothing is paced")
    void nothingChangesIt() {
        long nowNs = 1;
        for (int i = 0; i < 100; i++) {
            nowNs += 10_000_000;
            control.onFilled();
            control.onSample(50_000 + i * 1_000_000, 0, 0, true, nowNs);
            control.onSent(1_000_000, nowNs);
            control.onArrived(1_000, nowNs);
            control.onLost(1_000, 1_000_000);
            assertFalse(control.onNotified(nowNs));
            assertEquals(BUFFER_BYTES, control.windowBytes());
            assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
        }
        assertEquals(50_000_000, control.staleNs());
    }

    @Test
    @DisplayName("what the path holds is measured all the same: go-back-N peers need it")
    void thePathIsMeasured() {
        for (long nowNs = 0; nowNs <= 2_000_000; nowNs += 10_000) {
            control.onSample(100_000, 0, 0, true, nowNs);
            control.onArrived(12_500, nowNs);
        }
        assertEquals(125_000, control.pathBytes(), 6_000);
    }
}
