package io.rxe.time;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Field;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

public class HostDelayTest {
    private final HostDelay delay = new HostDelay();

    @Test
    @DisplayName("what arrives may have waited since the sockets were last found empty")
    void waitingInTheSocket() {
        delay.onReceive(700);
        assertEquals(700, delay.unseenNs());
        assertEquals(700, delay.ofRoundTripNs(50));
    }

    @Test
    @DisplayName("what was sent in a long iteration may have left at its end, and what was sent outside of one left at once")
    void leavingLate() {
        delay.onReceive(10);
        delay.onLongIteration(100, 400);
        delay.onLongIteration(1_000, 1_500);
        assertEquals(10, delay.ofRoundTripNs(99));
        assertEquals(10 + 300, delay.ofRoundTripNs(100));
        assertEquals(10 + 50, delay.ofRoundTripNs(350));
        assertEquals(10, delay.ofRoundTripNs(400));
        assertEquals(10 + 500, delay.ofRoundTripNs(1_000));
        assertEquals(10, delay.ofRoundTripNs(2_000));
    }

    @Test
    @DisplayName("the last 32 long iterations are remembered")
    void oldIterationsAreForgotten() {
        for (int i = 0; i < 33; i++) {
            delay.onLongIteration(1_000L * i, 1_000L * i + 500);
        }
        assertEquals(0, delay.ofRoundTripNs(0));
        assertEquals(500, delay.ofRoundTripNs(1_000));
    }

    @Test
    @DisplayName("a NIC under load for days goes on remembering: 2^31 long iterations are 60 hours of them")
    void theCountOfIterationsDoesNotWrap() throws ReflectiveOperationException {
        Field count = HostDelay.class.getDeclaredField("count");
        count.setAccessible(true);
        count.set(delay, Integer.MAX_VALUE);
        delay.onLongIteration(100, 300);
        delay.onLongIteration(1_000, 1_500);
        assertEquals(500, delay.ofRoundTripNs(1_000));
    }
}
