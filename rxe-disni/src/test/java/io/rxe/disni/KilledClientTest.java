package io.rxe.disni;

import io.rxe.net.FreePorts;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KilledClientTest {
    private static final String SERVER = "127.0.71.3";
    private static final String CLIENT = "127.0.71.4";
    private static final String BENCHMARKS = "com.ibm.disni.benchmarks.";

    @Test
    @DisplayName("a server of DiSNI that sends nothing notices within the keep-alive that its client was killed")
    void theServerNotices() throws Exception {
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        String options = " -a " + SERVER + " -p " + FreePorts.tcp() + " -s 64";
        try (DisniProgram server = new DisniProgram(SERVER, udpPort, "", ("-Drxe.keep.alive.ms=200 " + BENCHMARKS + "ReadServer" + options)
            .split(" "))) {
            server.awaitListener();
            // Reads for ever: the server takes no part.
            try (DisniProgram client = new DisniProgram(CLIENT, udpPort, "", (BENCHMARKS + "ReadClient" + options + " -k 2000000000")
                .split(" "))) {
                client.await("ReadClient, preparing read operation");
                // Then it has acknowledged what the server had sent, whose retries would end first.
                client.awaitReceived(100);
                client.kill();
                server.await("DISCONNECTED: ");
                server.await("did not answer 8 keep-alives");
            }
        }
    }
}
