package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Rule M1 on real sockets: two NICs with two ports each. Path 1 is from 127.0.1.1 to 127.0.1.2, path 2 from 127.0.2.1 to 127.0.2.2.
 *
 * <p>{@code -Drxe.migration.seconds=30} makes the transfer last longer; {@code -Drxe.migration.capture=FILE} captures it, for
 * {@code rxe dump --flow}.
 */
class PathMigrationTest {
    private static final long TRANSFER_NS = Long.getLong("rxe.migration.seconds", 2) * 1_000_000_000L;
    private static final String CAPTURE = System.getProperty("rxe.migration.capture");
    private static final long LIMIT_NS = 60_000_000_000L;

    private static final String LEFT = "127.0.1.1,127.0.2.1";
    private static final String RIGHT = "127.0.1.2,127.0.2.2";

    private final List<MigratingEnd> ends = new ArrayList<>();
    /** The path that loses everything; 0 for none. */
    private volatile int cutPath;
    private final int udpPort = FreePorts.udp("127.0.1.1", "127.0.2.1", "127.0.1.2", "127.0.2.2");

    @AfterEach
    void close() {
        ends.forEach(MigratingEnd::close);
    }

    private boolean isCut(Flow flow) {
        return cutPath != 0 && flow.source().ipv4() >> 8 == Gid.parse("127.0." + cutPath + ".0").ipv4() >> 8;
    }

    private MigratingEnd open(RxeNicOptions options) throws Exception {
        MigratingEnd end = new MigratingEnd(options.withFault((inner, counters) -> new CutPort(inner, this::isCut)));
        ends.add(end);
        return end;
    }

    private RxeNicOptions options(String addresses) {
        return RxeNicOptions.defaults(addresses).withUdpPort(udpPort).withCounterFile(false);
    }

    private void connect() {
        ends.get(0).connectTo(ends.get(1), PathMtu.MTU_1024);
        ends.get(1).connectTo(ends.get(0), PathMtu.MTU_1024);
    }

    private void stepUntil(String what, boolean isSending, BooleanSupplier condition) {
        long endNs = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < endNs, () -> what + " within 60 s: " + ends.get(0).queuePair.query() + " and "
                + ends.get(1).queuePair.query());
            ends.forEach(end -> end.step(isSending));
            LockSupport.parkNanos(50_000);
        }
    }

    private void transferFor(long ns) {
        long endNs = System.nanoTime() + ns;
        stepUntil("time passes", true, () -> System.nanoTime() >= endNs);
    }

    private void arm() {
        stepUntil("both sides are armed", true, () -> {
            ends.forEach(MigratingEnd::rearm);
            return ends.stream().allMatch(MigratingEnd::isArmed);
        });
    }

    private void cut(int path) {
        int other = 3 - path;
        cutPath = path;
        stepUntil("both sides are on path " + other, true, () -> ends.stream().allMatch(end -> end.path() == other));
        long before = ends.get(0).received + ends.get(1).received;
        stepUntil("messages arrive on path " + other, true, () -> ends.get(0).received + ends.get(1).received > before + 100);
    }

    private void finish() {
        stepUntil("every message arrives", false, () -> ends.stream().allMatch(end -> end.completed == end.posted)
            && ends.get(0).received == ends.get(1).posted && ends.get(1).received == ends.get(0).posted);
        assertTrue(ends.stream().allMatch(end -> end.posted > 0 && end.migrations >= 2), "both sides sent and migrated twice");
        ends.forEach(end -> assertEquals(QueuePairState.RTS, end.queuePair.state()));
    }

    @Test
    @DisplayName("M1 one path is cut, comes back and is armed, then the other is cut: every byte is right and no request fails")
    void aTransferOutlivesBothPaths() throws Exception {
        open(options(LEFT).withCaptureFile(CAPTURE == null ? null : Path.of(CAPTURE)));
        open(options(RIGHT));
        connect();
        arm();
        transferFor(TRANSFER_NS / 4);
        cut(1);
        transferFor(TRANSFER_NS / 4);
        cutPath = 0;
        arm();
        transferFor(TRANSFER_NS / 4);
        cut(2);
        transferFor(TRANSFER_NS / 4);
        cutPath = 0;
        finish();
    }

    @Test
    @DisplayName("M1 the verb migrates there and back, with several engines")
    void theVerbMigrates() throws Exception {
        open(options(LEFT).withEngines(2));
        open(options(RIGHT).withEngines(2));
        connect();
        for (int other = 2; other > 0; other--) {
            int wanted = other;
            arm();
            ends.get(0).queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).pathMigrationState(PathMigrationState.MIGRATED));
            stepUntil("both sides are on path " + wanted, true, () -> ends.stream().allMatch(end -> end.path() == wanted));
            long before = ends.get(0).received;
            stepUntil("messages arrive", true, () -> ends.get(0).received > before + 50);
        }
        finish();
    }

    @Test
    @DisplayName("two ports at one address are refused, and the message names the address")
    void portsDiffer() {
        String text = assertThrows(IOException.class,
            () -> RxeNic.open(options("127.0.1.1,127.0.1.1"))).getMessage();
        assertTrue(text.contains("two ports at 127.0.1.1") && text.contains("choose others"), text);
    }
}
