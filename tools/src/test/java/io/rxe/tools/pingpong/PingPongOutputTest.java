package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.verbs.PathMtu;
import org.junit.jupiter.api.Test;

class PingPongOutputTest {
    private static PingPongPlan plan(int sizeBytes, int iterations) {
        return new PingPongPlan(PingPongKind.RC, sizeBytes, iterations, 500, 1, PathMtu.MTU_1024, 4791, 1);
    }

    @Test
    void finalLinesAreThoseOfTheOriginal() {
        assertEquals("""
            8192000 bytes in 0.02 seconds = 4096.00 Mbit/sec
            1000 iters in 0.02 seconds = 16.00 usec/iter
            """, plan(4096, 1000).result(16_000_000));
    }

    @Test
    void countsBeyondFourGigabytes() {
        assertEquals("""
            20971520000 bytes in 10.00 seconds = 16777.22 Mbit/sec
            10000 iters in 10.00 seconds = 1000.00 usec/iter
            """, plan(1 << 20, 10_000).result(10_000_000_000L));
    }

    @Test
    void aBufferWithMarksIsValid() {
        PingPongBuffer buffer = new PingPongBuffer(PingPongKind.RC, 3 * 4096 + 1);
        assertEquals(0, buffer.invalidPage());
        buffer.markPages();
        assertEquals(-1, buffer.invalidPage());
    }

    @Test
    void theFirstInvalidPageIsReported() {
        PingPongBuffer buffer = new PingPongBuffer(PingPongKind.RC, 5 * 4096);
        buffer.markPages();
        buffer.bytes().put(3 * 4096, (byte) 1);
        assertEquals(3, buffer.invalidPage());
        buffer.bytes().put(2 * 4096 + 17, (byte) 0);
        assertEquals(2, buffer.invalidPage());
    }

    @Test
    void anEmptyBufferIsValid() {
        assertEquals(-1, new PingPongBuffer(PingPongKind.RC, 0).invalidPage());
    }
}
