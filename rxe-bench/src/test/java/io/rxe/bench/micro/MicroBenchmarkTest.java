package io.rxe.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Bth;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs each benchmark without JMH, and checks that it executes what it claims to time. */
@DisplayName("The micro-benchmarks")
class MicroBenchmarkTest {
    private static final int INVOCATIONS = 20;

    @ParameterizedTest
    @ValueSource(ints = {1024, 4096})
    void carryEveryRequestThroughTheWholeCore(int mtuBytes) {
        CoreBenchmark benchmark = new CoreBenchmark();
        benchmark.mtuBytes = mtuBytes;
        benchmark.connect();
        for (int i = 0; i < INVOCATIONS; i++) {
            assertTrue(benchmark.write() > CoreBenchmark.PACKETS, "every request packet, and acknowledgements");
            assertTrue(benchmark.read() > CoreBenchmark.PACKETS, "every response packet, and a request");
            assertTrue(benchmark.smallSends() > CoreBenchmark.PACKETS, "every request packet, and acknowledgements");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 4096})
    void driveOneSideAlone(int payloadBytes) {
        StepBenchmark benchmark = new StepBenchmark();
        benchmark.payloadBytes = payloadBytes;
        benchmark.connect();
        for (int i = 0; i < INVOCATIONS; i++) {
            assertEquals(StepBenchmark.PACKETS, benchmark.requester());
            assertTrue(benchmark.responder() > 0, "an acknowledgement");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 1024, 4096})
    void recoverTheIdentificationThatWasSealed(int payloadBytes) {
        IcrcBenchmark benchmark = new IcrcBenchmark();
        benchmark.payloadBytes = payloadBytes;
        benchmark.seal();
        assertEquals(13, benchmark.recover());
        assertEquals(benchmark.compute(), benchmark.compute());
        assertEquals(benchmark.plainCrc32(), benchmark.plainCrc32());
    }

    @Test
    void writeAndReadTheSameHeader() {
        HeaderBenchmark benchmark = new HeaderBenchmark();
        assertEquals(1, Bth.psn(benchmark.write(), 0));
        assertEquals(0x1234 + 2 + 0x7000_0000_0000L + 2 + 0x0101 + 64, benchmark.writeCheckAndRead());
    }

    @Test
    void passEntriesThroughTheRingInOrder() {
        RingBenchmark benchmark = new RingBenchmark();
        RingBenchmark.Alone ring = new RingBenchmark.Alone();
        for (long i = 0; i < 5000; i++) {
            assertEquals(i, benchmark.putAndTake(ring));
        }
    }
}
