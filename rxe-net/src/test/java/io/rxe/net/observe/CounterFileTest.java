package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.CountersView;
import io.rxe.counters.CountersView.QueuePairRow;
import io.rxe.counters.EngineCounters;
import io.rxe.counters.EngineEvents;
import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCounters;
import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.port.CounterSpace;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The counter file as another process sees it. */
class CounterFileTest {
    private static final Gid DEVICE = Gid.parse("10.0.0.1");
    private static final CounterSpace.Owner OWNER = new CounterSpace.Owner(DEVICE, 4791, 0);
    /** No process has an ID from here on: Linux gives none above 4194304. */
    private static final long NO_PROCESS = 5_000_000;

    @TempDir
    private Path folder;

    private CounterFile create() throws IOException {
        CounterFile file = CounterFile.create(folder.resolve("1.counters"), "the command");
        file.openDevice(DEVICE, 4791);
        return file;
    }

    private static QueuePairCounters open(CounterFile file, int number) {
        return QueuePairCounters.open(new EngineCounters(null, null), new EngineEvents(), file, OWNER, number, 0);
    }

    private static long value(CountersView view, String label) {
        return view.counters().stream().filter(counter -> counter.label().equals(label)).mapToLong(CountersView.Counter::value).sum();
    }

    @Test
    void everyCounterIsFoundUnderItsName() throws Exception {
        CounterFile file = create();
        EngineCounters counters = new EngineCounters(file, OWNER);
        NetCounters sockets = new NetCounters(file, OWNER);
        long number = 1;
        for (NicCounter counter : NicCounter.values()) {
            counters.count(counter, number++);
        }
        counters.drop(DropReason.BAD_ICRC);
        sockets.count(NetCounter.SENT_BATCHES, 77);
        counters.publish();
        sockets.publish();
        CountersView view = CounterFolder.open(file.path());
        number = 1;
        for (NicCounter counter : NicCounter.values()) {
            String label = counter.label();
            assertEquals(number++, view.counters().stream().filter(one -> one.typeId() == CounterLayout.TYPE_NIC
                && one.label().equals(label)).findFirst().orElseThrow().value(), label);
        }
        assertEquals(1, value(view, "bad_icrc"));
        assertEquals(77, value(view, "sent_batches"));
        assertTrue(view.counters().stream().allMatch(one -> one.device().equals(DEVICE) && one.udpPort() == 4791 && !one.closed()));
        assertEquals("the command", view.command());
        assertEquals(ProcessHandle.current().pid(), view.processId());
        assertTrue(CounterFolder.isRunning(view));
    }

    @Test
    @DisplayName("a running process is found running also after a step of the clock, which moves its start as a time of day")
    void aProcessRunsAfterTheClockWasSet() throws Exception {
        CounterFile file = create();
        file.buffer().putLong(CounterLayout.START_OFFSET, CounterFolder.open(file.path()).startMs() - 3_600_000);
        assertTrue(CounterFolder.isRunning(CounterFolder.open(file.path())));
        // Another process that has its ID by now.
        file.buffer().putLong(CounterLayout.START_TICKS_OFFSET, 1);
        assertFalse(CounterFolder.isRunning(CounterFolder.open(file.path())));
    }

    @Test
    void theCountersOfAClosedDeviceStayUntilItIsOpenedAgain() throws Exception {
        CounterFile file = create();
        EngineCounters counters = new EngineCounters(file, OWNER);
        counters.count(NicCounter.SENT_PKTS, 5);
        counters.detach();
        file.closeDevice(DEVICE, 4791);
        CountersView view = CounterFolder.open(file.path());
        assertEquals(5, value(view, "sent_pkts"));
        assertTrue(view.counters().stream().allMatch(CountersView.Counter::closed));
        assertNotEquals(0, view.endMs());
        assertTrue(file.openDevice(DEVICE, 4791));
        EngineCounters again = new EngineCounters(file, OWNER);
        assertEquals(0, value(view, "sent_pkts"));
        assertFalse(view.counters().stream().anyMatch(CountersView.Counter::closed));
        assertEquals(0, view.endMs());
        assertEquals(0, again.get(NicCounter.SENT_PKTS));
        assertEquals(5, counters.get(NicCounter.SENT_PKTS));
    }

    @Test
    void aSecondDeviceOfTheSameAddressGetsNoCounters() throws Exception {
        CounterFile file = create();
        assertFalse(file.openDevice(DEVICE, 4791));
        assertEquals(CounterSpace.NONE, file.allocate(new CounterSpace.Owner(DEVICE, 4792, 0), CounterLayout.TYPE_NIC, 0, "x"));
    }

    @Test
    void tenThousandQueuePairsHaveARecordAndTheNextHasNone() throws Exception {
        CounterFile file = create();
        List<QueuePairCounters> opened = new ArrayList<>();
        for (int number = 1; number <= CounterFile.MAX_QUEUE_PAIRS + 1; number++) {
            QueuePairCounters counters = open(file, number);
            counters.count(NicCounter.SENT_PKTS, number);
            counters.publish();
            opened.add(counters);
        }
        CountersView view = CounterFolder.open(file.path());
        List<QueuePairRow> rows = view.queuePairs();
        assertEquals(CounterFile.MAX_QUEUE_PAIRS, rows.size());
        for (int i = 0; i < rows.size(); i++) {
            assertEquals(i + 1, rows.get(i).number());
            assertEquals(i + 1, rows.get(i).get("sent_pkts"));
        }
        assertFalse(opened.get(CounterFile.MAX_QUEUE_PAIRS).isShown());
        opened.get(0).close();
        QueuePairCounters last = open(file, 0xABCDEF);
        last.count(NicCounter.SENT_PKTS, 3);
        last.publish();
        QueuePairRow reused = view.queuePairs().get(0);
        assertEquals(0xABCDEF, reused.number());
        assertEquals(3, reused.get("sent_pkts"));
        assertEquals(2, reused.uses());
    }

    @Test
    void openingAndClosingDevicesNeverExhaustsTheFile() throws Exception {
        CounterFile file = CounterFile.create(folder.resolve("1.counters"), "");
        for (int port = 1; port <= 300; port++) {
            assertTrue(file.openDevice(DEVICE, port));
            EngineCounters counters = new EngineCounters(file, new CounterSpace.Owner(DEVICE, port, 0));
            counters.count(NicCounter.SENT_PKTS, port);
            counters.detach();
            file.closeDevice(DEVICE, port);
        }
        CountersView view = CounterFolder.open(file.path());
        assertTrue(view.counters().stream().anyMatch(one -> one.udpPort() == 300 && one.label().equals("sent_pkts") && one.value() == 300));
        assertTrue(view.counters().stream().noneMatch(one -> one.udpPort() == 1), "the oldest were freed");
    }

    @Test
    void filesOfTheLastEndedProcessesAreKept() throws Exception {
        for (int process = 1; process <= 6; process++) {
            addEmpty(NO_PROCESS + process, process);
        }
        CounterFile running = CounterFile.create(CounterFolder.file(folder, NO_PROCESS + 7), "");
        CounterFolder.clean(folder);
        List<String> left = CounterFolder.files(folder).stream().map(path -> path.getFileName().toString()).toList();
        assertEquals(List.of("5000007.counters", "5000006.counters", "5000005.counters", "5000004.counters"), left);
        assertTrue(Files.exists(running.path()));
    }

    /** As a process has it that has not written its header yet. */
    private void addEmpty(long process, int changed) throws IOException {
        Path path = Files.write(CounterFolder.file(folder, process), new byte[CounterLayout.HEADER_LENGTH]);
        Files.setLastModifiedTime(path, FileTime.fromMillis(changed * 1000L));
    }

    @Test
    @DisplayName("processes that start together, such as the ranks of a job, do not remove each other's files")
    void theFileOfAProcessThatStartsIsKept() throws Exception {
        long own = ProcessHandle.current().pid();
        addEmpty(own, 1);
        for (int process = 2; process <= 6; process++) {
            addEmpty(NO_PROCESS + process, process);
        }
        Path strange = Files.write(folder.resolve("x.counters"), new byte[0]);
        Files.setLastModifiedTime(strange, FileTime.fromMillis(0));
        CounterFolder.clean(folder);
        assertTrue(Files.exists(CounterFolder.file(folder, own)));
        assertFalse(Files.exists(strange));
        assertEquals(4, CounterFolder.files(folder).size());
    }

    @Test
    @DisplayName("files whose processes write them while they are sorted are found all the same")
    void filesThatChangeAreFound() throws Exception {
        int count = 200;
        for (int process = 1; process <= count; process++) {
            addEmpty(NO_PROCESS + process, process);
        }
        AtomicBoolean ends = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            for (long round = 1; !ends.get(); round++) {
                touch(CounterFolder.file(folder, NO_PROCESS + 1 + round % count), round * 7919 % 1_000_000);
            }
        });
        writer.start();
        try {
            for (int look = 0; look < 100; look++) {
                assertEquals(count, CounterFolder.files(folder).size());
            }
        } finally {
            ends.set(true);
            writer.join();
        }
    }

    private static void touch(Path path, long ms) {
        try {
            Files.setLastModifiedTime(path, FileTime.fromMillis(ms));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aDeviceThatWasClosedIsClosedAlsoWhenTheFileWasRestored() throws Exception {
        CounterFile file = create();
        new EngineCounters(file, OWNER).detach();
        file.closeDevice(DEVICE, 4791);
        long endMs = CounterFolder.open(file.path()).endMs();
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
        assertEquals(1, file.restore());
        CountersView view = CounterFolder.open(file.path());
        assertFalse(view.counters().isEmpty());
        assertTrue(view.counters().stream().allMatch(CountersView.Counter::closed));
        assertEquals(endMs, view.endMs());
    }

    @Test
    void aFolderThatOthersCanWriteIsRefused() throws Exception {
        Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        IOException refused = assertThrows(IOException.class, () -> CounterFolder.own(open));
        assertTrue(refused.getMessage().contains("XDG_RUNTIME_DIR"), refused.getMessage());
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        assertThrows(IOException.class, () -> CounterFolder.own(link));
        assertEquals(folder.resolve("new"), CounterFolder.own(folder.resolve("new")));
    }

    @Test
    void aFileThatIsNotACounterFileIsRefused() throws Exception {
        Path other = Files.writeString(folder.resolve("2.counters"), "hello".repeat(2000));
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> CounterFolder.open(other));
        assertTrue(refused.getMessage().contains("no counter file"), refused.getMessage());
    }

    @Test
    void theFileShowsTheStateOfEachQueuePairOfANic() throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(1L);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            QueuePairLink left = new QueuePairLink(one.device(), 1 << 16);
            QueuePairLink right = new QueuePairLink(two.device(), 1 << 16);
            QueuePairLink.connect(left, right, PathMtu.MTU_1024);
            left.memory.put(0, (byte) 77);
            left.queuePair.postSend(new WorkRequest().write(right.region.address(), right.region.rKey())
                .add(left.region, 0, 10_000));
            left.complete();
            assertEquals(77, right.memory.get(0));
            // A command runs between two polls, after which the record is up to date.
            left.queuePair.query();
            CountersView view = CounterFolder.open(CounterFile.ofProcess().path());
            QueuePairRow row = view.queuePairs().stream().filter(found -> found.open()
                && found.number() == left.queuePair.number() && found.device().equals(one.device().gid())).findFirst().orElseThrow();
            assertEquals(3, row.get("state"), "RTS");
            assertEquals(0xFFFFF0 + 10, row.get("next_psn"));
            assertEquals(row.get("next_psn"), row.get("acked_psn"));
            assertEquals(0, row.get("outstanding"));
            // More where the machine stops a thread for longer than the ACK timeout.
            assertTrue(row.get("sent_pkts") >= 10);
            assertTrue(row.get("round_trip_ns") > 0);
            assertEquals(1024 * row.get("window"), row.get("window_bytes"));
            assertEquals(0, row.get("rate_bits_per_second"), "loopback is not paced");
            assertEquals(right.queuePair.number(), row.peerNumber());
            assertEquals(two.device().gid(), row.peer());
            assertArrayEquals(new long[] {row.get("sent_pkts")}, view.counters().stream()
                .filter(counter -> counter.device().equals(one.device().gid())
                    && counter.udpPort() == options.udpPort() && counter.label().equals("sent_pkts") && !counter.closed())
                .mapToLong(CountersView.Counter::value).toArray());
        }
    }

    @Test
    void isRestoredAlsoAfterAnInterruptedThreadHasUsedIt() throws Exception {
        CounterFile file = create();
        Thread.currentThread().interrupt();
        assertEquals(0, file.restore());
        assertTrue(Thread.interrupted());
        long size = Files.size(file.path());
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
        assertEquals(1, file.restore());
        assertEquals(size, Files.size(file.path()));
    }
}
