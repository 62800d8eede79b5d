package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class LeakHintTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);

    private final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
    private final int udpPort = FreePorts.udp("127.0.0.2");

    private RxeNicOptions options() {
        return RxeNicOptions.defaults("127.0.0.2").withUdpPort(udpPort).withWarnings(warnings::add);
    }

    /** With everything that could refer to the NIC: counters, connection management, events. */
    private void openAndDrop() throws IOException {
        RxeNic nic = RxeNic.open(options());
        nic.connections();
        nic.events();
    }

    @Test
    @DisplayName("a NIC that is dropped without close is named in one warning, with the place that opened it; a closed one is not")
    void aDroppedNicIsNamed() throws Exception {
        RxeNic.open(options()).close();
        openAndDrop();
        String warning = null;
        for (long beganNs = System.nanoTime(); warning == null && System.nanoTime() - beganNs < LIMIT_NS;) {
            System.gc();
            warning = warnings.poll(100, TimeUnit.MILLISECONDS);
        }
        assertNotNull(warning, "the NIC was never collected: something refers to it");
        assertTrue(warning.startsWith("the NIC at 127.0.0.2 UDP port " + udpPort + " was dropped without close"), warning);
        assertTrue(warning.contains("LeakHintTest.openAndDrop(LeakHintTest.java:"), warning);
        System.gc();
        assertEquals(null, warnings.poll(500, TimeUnit.MILLISECONDS));
    }
}
