package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.rxe.net.FreePorts;
import io.rxe.wire.Gid;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PortProbeTest {
    private static final String PEER = "127.96.1.2";

    @Test
    @DisplayName("where the process may start no thread, no peer is probed and no engine fails; afterwards peers are probed again")
    void noThread() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean(true);
        CompletableFuture<Gid> closed = new CompletableFuture<>();
        PortProbe probe = new PortProbe(InetAddress.getByName("127.96.1.1"), FreePorts.udp(PEER), (peer, why) -> closed.complete(peer),
            work -> new Thread(work) {
                @Override
                public void start() {
                    if (isFull.get()) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    super.start();
                }
            });
        Gid peer = Gid.parse(PEER);
        probe.probe(peer);
        assertFalse(closed.isDone());
        isFull.set(false);
        probe.probe(peer);
        assertEquals(peer, closed.get(60, TimeUnit.SECONDS));
    }
}
