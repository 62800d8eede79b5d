package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.fault.FaultSpec;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.PortLayer;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.DropReason;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole NICs over loopback sockets that lose, duplicate, reorder, delay and corrupt frames. */
@DisplayName("R1, R4, R16 on real sockets with faults")
class FaultyNicTest {
    private static final String EVERYTHING = "loss 3% duplicate 2% reorder 5% corrupt 1% delay 500us";
    private static final int MESSAGE_BYTES = 100_001;

    /** A NIC at the first address, on a port that is free at all of them. */
    private static RxeNicOptions options(long seed, String... addresses) {
        return RxeNicOptions.defaults(addresses[0]).withUdpPort(FreePorts.udp(addresses)).withSeed(seed);
    }

    @ParameterizedTest(name = "{0} engines {1} path {2} spin {3} seed {4}")
    @CsvSource({
        "127.0.0.1, 1, false, 1", "127.0.0.1, 1, true, 2",
        "127.0.0.1, 2, false, 4", "::1, 1, false, 5", "::1, 2, false, 6",
    })
    void dataArrivesUnchangedThroughAllFaultsTogether(String address, int engines, boolean spin, long seed) throws Exception {
        PortLayer faults = FaultSpec.parse(EVERYTHING).layer(seed);
        String other = "::1".equals(address) ? address : "127.0.0.2";
        try (RxeNic one = RxeNic.open(options(seed, address).withEngines(engines).withSpin(spin).withFault(faults));
             RxeNic two = RxeNic.open(options(seed, other).withEngines(engines).withSpin(spin).withFault(faults))) {
            for (int connection = 0; connection < 2; connection++) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, MESSAGE_BYTES);
            }
            for (NetCounter effect : List.of(NetCounter.FAULT_LOST, NetCounter.FAULT_DUPLICATED,
                NetCounter.FAULT_CORRUPTED, NetCounter.FAULT_DELAYED, NetCounter.FAULT_REORDERED)) {
                assertTrue(one.count(effect) + two.count(effect) > 0, effect.label());
            }
            assertEquals(0, one.count(NetCounter.FAULT_OVERFLOW) + two.count(NetCounter.FAULT_OVERFLOW));
            assertTrue(one.core().counter(DropReason.BAD_ICRC) + two.core().counter(DropReason.BAD_ICRC) > 0);
        }
    }

    @Test
    void aDelayAloneLosesNothingAndASleepingLoopKeepsIt() throws Exception {
        PortLayer faults = FaultSpec.parse("delay 2ms").layer(1);
        RxeNicOptions options = options(1, "127.0.0.1", "127.0.0.2").withFault(faults);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            long beganNs = System.nanoTime();
            QueuePairLink.exchange(one, two, PathMtu.MTU_4096, MESSAGE_BYTES);
            // Three operations of one round trip, delayed by both NICs in both directions.
            assertTrue(System.nanoTime() - beganNs >= 3 * 4 * 2_000_000L);
            assertTrue(one.count(NetCounter.FAULT_DELAYED) > 0 && two.count(NetCounter.FAULT_DELAYED) > 0);
            assertEquals(0, one.count(NetCounter.FAULT_LOST) + two.count(NetCounter.FAULT_LOST));
        }
    }
}
