package io.rxe.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.MachineInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A comparison")
class ComparisonTest {
    private static final MachineInfo MACHINE = new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc");
    private static final Job.FigureReader NUMBER = text -> Map.of("x", Double.valueOf(text.strip()));

    @TempDir
    private Path directory;

    @Test
    void runsEveryJobOnceARoundAndTakesMedians() throws IOException {
        Path counter = Files.writeString(directory.resolve("n"), "");
        String script = "printf 1 >> " + counter + "; wc -c < " + counter;
        List<String> steps = new ArrayList<>();
        ComparisonReport report = new Comparison(
            List.of(Job.of("a", "count", List.of("sh", "-c", script), NUMBER),
                Job.of("b", "constant", List.of("echo", "7"), text -> Map.of("y", 7.0))), Map.of(), Map.of())
            .run(MACHINE, Place.LOOPBACK, 3, 1_000_000_000, steps::add);
        assertEquals(Map.of("x", List.of(1.0, 2.0, 3.0), "y", List.of(7.0, 7.0, 7.0)), report.figures().samples());
        assertEquals(List.of("round 1 of 3: a, count", "round 1 of 3: b, constant", "round 2 of 3: a, count"), steps.subList(0, 3));
    }

    @Test
    void tellsWhatFailedAndGoesOn() {
        ComparisonReport report = new Comparison(
            List.of(Job.of("a", "fails", List.of("sh", "-c", "echo no luck >&2; exit 3"), NUMBER),
                Job.of("b", "talks", List.of("echo", "word"), text -> {
                    throw new IllegalArgumentException("no figure");
                }), Job.of("c", "works", List.of("echo", "5"), NUMBER)), Map.of("d", "not here"), Map.of())
            .run(MACHINE, Place.LOOPBACK, 1, 1, step -> { });
        assertEquals("exit status 3: no luck", report.failures().get("a, fails, round 1"));
        assertEquals("it printed something unexpected: no figure", report.failures().get("b, talks, round 1"));
        assertEquals(List.of(5.0), report.figures().samples().get("x"));
        assertTrue(report.toText().contains("skipped: d, not here\n"), report.toText());
        assertTrue(report.toText().contains("failed: a, fails, round 1: exit status 3: no luck\n"), report.toText());
    }

    @Test
    void startsAServerForAJobAndEndsIt() throws IOException {
        Path file = directory.resolve("served");
        String command = "while ! [ -s " + file + " ]; do sleep 0.1; done; cat " + file;
        Job job = new Job("a", "asks", List.of("sh", "-c", "echo 4 > " + file + "; exec sleep 1000"), 0, List.of("sh", "-c", command),
            NUMBER);
        assertEquals(Map.of("x", 4.0), new JobRunner(Map.of()).run(job));
        assertTrue(ProcessHandle.current().children().noneMatch(child -> child.info().command().orElse("").endsWith("sleep")),
            "the server is gone");
    }

    @Test
    void saysThatAServerDidNotStart() {
        Job job = new Job("a", "asks", List.of("true"), 9, List.of("echo", "1"), NUMBER);
        IOException failure = assertThrows(IOException.class, () -> new JobRunner(Map.of()).run(job));
        assertEquals("its server does not open port 9", failure.getMessage());
    }

    @Test
    void findsThePortOfAServerInTheListOfSockets() {
        List<String> table = List.of("  sl  local_address rem_address   st tx_queue rx_queue",
            "   0: 0100007F:3B62 00000000:0000 0A 00000000:00000000", "   1: 0100007F:12B7 0100007F:3B62 01 00000000:00000000");
        assertTrue(ServerPort.isListed(table, 15_202, "0A"), "listens");
        assertFalse(ServerPort.isListed(table, 4791, "0A"), "is connected, and does not listen");
        assertFalse(ServerPort.isListed(table, 4790, "0A"), "has no socket");
    }

    @Test
    void everyGoalHasFigures() {
        for (Place place : Place.values()) {
            for (Work work : place.works()) {
                for (Goal goal : work.goals()) {
                    assertTrue(goal.against().equals(Works.ABSOLUTE) || work.others().containsKey(goal.against()), work.toString());
                }
            }
        }
    }

    @Test
    void everyWorkIsOneRow() {
        for (Place place : Place.values()) {
            List<String> names = place.works().stream().map(Work::name).toList();
            assertEquals(names.size(), names.stream().distinct().count(), names.toString());
        }
    }

    @Test
    void theShortTableNamesWorksOfTheLongOne() {
        List<String> works = Works.loopback().stream().map(Work::name).toList();
        assertEquals(6, Works.headline().size());
        assertTrue(works.containsAll(Works.headline()), Works.headline().toString());
    }

    @Test
    void aWorkIsOneRowWithAColumnForEachContenderThatHasFigures() {
        Figures figures = new Figures(1);
        figures.add(0, Map.of("rxe/rate/send", 2e6, "c/rate", 4e6, "raw/rate", 5e6, "ucx/rate", 1e6));
        figures.add(0, Map.of("rxe/spin/p99", 12.346, "raw/spin/p99", 10.0));
        ComparisonReport report = report(figures);
        assertTrue(report.toMarkdown().startsWith("""
            machine: Some CPU, 2 processors, Linux 6.1, Java 17 (Test), commit abc

            | work | unit | rxe | limit | rxe / limit | raw C | raw Java | UCX | goals | result |
            |---|---|--:|--:|--:|--:|--:|--:|---|---|
            | SEND of 64 B, messages per second | 1/s | 2000000 | 5000000 | 0.40 | 4000000 | 5000000 | 1000000 | \
            >= 0.50 limit, 5.00 UCX | missed: 0.50 limit, 5.00 UCX |
            | SEND of 64 B, round trip, spinning, p99 | us | 12.35 | 10.00 | 1.23 | | 10.00 | | <= 1.50 raw Java | met |

            medians of 1 interleaved rounds of 1.0 s"""), report.toMarkdown());
        assertTrue(report.toText().contains("missed: 0.50 limit, 5.00 UCX\n"), report.toText());
    }

    @Test
    void theShortTableHasNoBounds() {
        Figures figures = new Figures(1);
        figures.add(0, Map.of("rxe/spin/p50", 9.0, "rxe/spin/p99", 9.0, "c/spin/p50", 8.0, "raw/spin/p50", 10.0));
        assertEquals("""
            | work | unit | rxe | limit | rxe / limit | raw C | raw Java | goals |
            |---|---|--:|--:|--:|--:|--:|---|
            | SEND of 64 B, round trip, spinning, p50 | us | 9.00 | 8.00 | 1.13 | 8.00 | 10.00 | met |
            """, report(figures).toHeadlineMarkdown());
    }

    @Test
    void theTableOfNamespacesHasARowForEachPairAndBulk() {
        Figures figures = new Figures(1);
        figures.add(0, Map.of("veth/2/rxe/write/65536", 8.0, "veth/2/c/gro", 9.0, "veth/2/c/mmsg", 10.0, "veth/2/iperf/udp", 2.0));
        ComparisonReport report = new ComparisonReport(MACHINE, Place.VETH, 1, 1_000_000_000, figures, Map.of(), Map.of());
        assertTrue(report.toMarkdown().contains("| WRITE of 64 KiB, MTU 1024, veth 1500, offloads off | Gbit/s | 8.00 | 10.00 | 0.80 "
            + "| 10.00 | 2.00 | >= 0.85 limit, 5.00 iperf3 UDP | missed: 0.85 limit, 5.00 iperf3 UDP |"), report.toMarkdown());
        assertEquals(VethLink.ALL.size() * VethJobs.BULK.length, Works.veth().size());
    }

    @Test
    void jsonKeepsAllThatTheTablesShow() {
        Figures figures = new Figures(3);
        figures.add(0, Map.of("rxe/rate/send", 1234567.8, "c/rate", 4e6, "rxe/spin/p50", 9.876543, "c/spin/p50", 10.0));
        figures.add(2, Map.of("rxe/rate/send", 1934567.8, "c/rate", 4.1e6));
        ComparisonReport report = new ComparisonReport(MACHINE, Place.LOOPBACK, 3, 1_500_000_000, figures, Map.of("Aeron", "not here"),
            Map.of("a job", "failed"));
        ComparisonReport read = ComparisonReport.ofJson(report.toJson());
        assertEquals(figures.samples(), read.figures().samples());
        assertEquals(report.toText(), read.toText());
        assertEquals(report.toJson(), read.toJson());
        assertTrue(report.toJson().contains("\"within_noise\": false"), report.toJson());
    }

    @Test
    void refusesJsonOfAnotherKind() {
        assertThrows(IllegalArgumentException.class, () -> ComparisonReport.ofJson("{\"measurements\": []}"));
        assertThrows(IllegalArgumentException.class, () -> ComparisonReport.ofJson("{\"machine\": {}, \"samples\": {}}"));
    }

    private static ComparisonReport report(Figures figures) {
        return new ComparisonReport(MACHINE, Place.LOOPBACK, 1, 1_000_000_000, figures, Map.of(), Map.of());
    }

    @Test
    void readsTheTableOfUcx() {
        String text = """
            |     Test     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
            +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
                                    5000      4.314   849.844  1464.848       73.54      42.67        1177         683
            """;
        assertEquals(42.67 * (1 << 20) * 8 / 1e9, PeerJobs.readUcx(text, 65536).get("ucx/65536"), 1e-9);
        assertEquals(683.0, PeerJobs.readUcx(text, 64).get("ucx/rate"));
        assertThrows(IllegalArgumentException.class, () -> PeerJobs.readUcx("nothing", 64));
    }

    @Test
    void readsTheTableOfFiPingpong() {
        String text = """
            bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
            64k     200     =200     25m         5.22s      5.03   13038.21       0.00
            """;
        assertEquals(5.03 * 8 / 1e3, PeerJobs.readFabric(text), 1e-9);
        assertThrows(IllegalArgumentException.class, () -> PeerJobs.readFabric("nothing"));
    }

    @Test
    void readsTheJsonOfIperf3() {
        assertEquals(12.5, PeerJobs.readIperf("{\"end\": {\"sum_received\": {\"bits_per_second\": 12500000000.0}}}"));
        assertThrows(IllegalArgumentException.class, () -> PeerJobs.readIperf("{\"error\": \"unable to connect\"}"));
    }

    @Test
    void namesTheContendersThatAreNotThere() {
        PeerJobs jobs = new PeerJobs(directory, List.of("java"), 1_000_000_000);
        assertEquals(List.of(), jobs.aeron());
        assertEquals(List.of(), jobs.limit());
        assertEquals(List.of(PeerJobs.AERON, PeerJobs.RAW_C), List.copyOf(jobs.missing().keySet()));
    }
}
