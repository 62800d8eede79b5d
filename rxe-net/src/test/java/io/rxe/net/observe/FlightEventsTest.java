package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.counters.NicCounter;
import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.port.EngineEvent;
import io.rxe.port.PathFigures;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.DropReason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of Java Flight Recorder. */
class FlightEventsTest {
    private static List<RecordedEvent> recorded(Recording recording, Path file) throws Exception {
        recording.stop();
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream().filter(event -> event.getEventType().getName().startsWith("io.rxe."))
            .toList();
    }

    private static long count(List<RecordedEvent> events, String name, String device) {
        return events.stream().filter(event -> event.getEventType().getName().equals(name) && device.equals(event.getString("device")))
            .count();
    }

    @Test
    void aLossyRunCommitsAnEventForEachOneCounted(@TempDir Path folder) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(7L);
        try (Recording recording = new Recording()) {
            recording.start();
            RxeNic one = RxeNic.open(options);
            RxeNic two = RxeNic.open(options.withAddress("127.0.0.2").withFault(FaultSpec.parse("loss 5%").layer(7)));
            for (int i = 0; i < 3; i++) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 60_001);
            }
            two.close();
            one.close();
            List<RecordedEvent> events = recorded(recording, folder.resolve("run.jfr"));
            for (RxeNic nic : List.of(one, two)) {
                String device = nic.device().gid() + " " + nic.device().udpPort();
                assertEquals(nic.core().counter(NicCounter.RETRANSMITTED_PKTS), count(events, "io.rxe.Retransmission", device));
                assertEquals(nic.core().counter(NicCounter.SEND_SEQ_ERR), count(events, "io.rxe.NakSent", device));
                assertEquals(nic.core().counter(NicCounter.RCVD_SEQ_ERR), count(events, "io.rxe.NakReceived", device));
                long dropped = 0;
                for (DropReason reason : DropReason.values()) {
                    dropped += nic.core().counter(reason);
                }
                assertEquals(dropped, count(events, "io.rxe.Drop", device));
            }
            assertTrue(one.core().counter(NicCounter.RETRANSMITTED_PKTS) > 0);
            RecordedEvent path = events.stream().filter(event -> event.getEventType().getName().equals("io.rxe.Path")
                && event.getLong("roundTripNs") > 0).findFirst().orElseThrow();
            assertTrue(path.getLong("window") >= 1024, path::toString);
            assertTrue(path.getLong("shortestRoundTripNs") <= path.getLong("roundTripNs"), path::toString);
            Set<String> changes = new HashSet<>();
            events.stream().filter(event -> event.getEventType().getName().equals("io.rxe.StateChange"))
                .forEach(event -> changes.add(event.getString("from") + " " + event.getString("to")));
            assertTrue(changes.containsAll(Set.of("RESET INIT", "INIT RTR", "RTR RTS")), changes.toString());
        }
    }

    /** All values differ. */
    private static final class Figures implements PathFigures {
        @Override
        public long windowBytes() {
            return 1;
        }

        @Override
        public long bitsPerSecond() {
            return 2;
        }

        @Override
        public long roundTripNs() {
            return 3;
        }

        @Override
        public long shortestRoundTripNs() {
            return 4;
        }

        @Override
        public long marked() {
            return 5;
        }

        @Override
        public long notificationsSent() {
            return 6;
        }

        @Override
        public long notificationsObeyed() {
            return 7;
        }
    }

    @Test
    void thePathOfAQueuePairIsCommitted(@TempDir Path folder) throws Exception {
        FlightEvents traces = new FlightEvents("a device", 3);
        try (Recording recording = new Recording()) {
            recording.start();
            traces.onPath(0x11, new Figures());
            RecordedEvent event = recorded(recording, folder.resolve("path.jfr")).get(0);
            assertEquals("io.rxe.Path", event.getEventType().getName());
            assertEquals(0x11, event.getInt("queuePair"));
            assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), Stream.of("window", "rate", "roundTripNs", "shortestRoundTripNs", "marked",
                "cnpsSent", "cnpsObeyed").map(event::getLong).toList());
        }
    }

    @Test
    void everyKindOfEventIsCommittedUnderItsName(@TempDir Path folder) throws Exception {
        FlightEvents traces = new FlightEvents("a device", 3);
        try (Recording recording = new Recording()) {
            recording.start();
            for (EngineEvent event : EngineEvent.values()) {
                traces.onEvent(event, 1, 0x11, 0x22, event == EngineEvent.DROP ? DropReason.BAD_ICRC.id() : 0x0203);
            }
            traces.onEvent(EngineEvent.MANAGEMENT_SENT, 1, 0x11, 0x22, CmAttribute.DREQ.code());
            List<RecordedEvent> events = recorded(recording, folder.resolve("all.jfr"));
            assertEquals(EngineEvent.values().length + 1, events.size());
            List<String> names = new ArrayList<>();
            for (RecordedEvent event : events) {
                names.add(event.getEventType().getName());
                assertEquals(0x11, event.getInt("queuePair"));
                assertEquals(0x22, event.getInt("psn"));
                assertEquals(3, event.getInt("engine"));
            }
            assertTrue(names.containsAll(List.of("io.rxe.Stall", "io.rxe.ReceiverWait", "io.rxe.ManagementMessage", "io.rxe.Failure")));
            assertTrue(events.stream().anyMatch(event -> event.getEventType().getName().equals("io.rxe.StateChange")
                && event.getString("from").equals("RTR") && event.getString("to").equals("RTS")));
            assertTrue(events.stream().anyMatch(event -> event.getEventType().getName().equals("io.rxe.Drop")
                && event.getString("reason").equals("bad_icrc")));
            assertEquals(List.of("0x203", "0x203", "DREQ"), events.stream()
                .filter(event -> event.getEventType().getName().equals("io.rxe.ManagementMessage")).map(event -> event.getString("message"))
                .sorted().toList());
        }
    }
}
