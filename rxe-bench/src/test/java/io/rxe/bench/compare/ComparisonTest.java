package io.rxe.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
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
            .run(MACHINE, 3, 1_000_000_000, steps::add);
        assertEquals(Map.of("x", List.of(1.0, 2.0, 3.0), "y", List.of(7.0, 7.0, 7.0)), report.samples());
        assertEquals(List.of("round 1 of 3: a, count", "round 1 of 3: b, constant", "round 2 of 3: a, count"), steps.subList(0, 3));
    }

    @Test
    void tellsWhatFailedAndGoesOn() {
        ComparisonReport report = new Comparison(
            List.of(Job.of("a", "fails", List.of("sh", "-c", "echo no luck >&2; exit 3"), NUMBER),
                Job.of("b", "talks", List.of("echo", "word"), text -> {
                    throw new IllegalArgumentException("no figure");
                }), Job.of("c", "works", List.of("echo", "5"), NUMBER)), Map.of("d", "not here"), Map.of())
            .run(MACHINE, 1, 1, step -> { });
        assertEquals("exit status 3: no luck", report.failures().get("a, fails, round 1"));
        assertEquals("it printed something unexpected: no figure", report.failures().get("b, talks, round 1"));
        assertEquals(List.of(5.0), report.samples().get("x"));
        assertTrue(report.toText().contains("skipped: d, not here\n"), report.toText());
        assertTrue(report.toText().contains("failed: a, fails, round 1: exit status 3: no luck\n"), report.toText());
    }

    @Test
    void startsAServerForAJobAndEndsIt() throws IOException {
        Path file = directory.resolve("served");
        Job job = new Job("a", "asks", List.of("sh", "-c", "echo 4 > " + file + "; exec sleep 1000"), List.of("cat", file.toString()),
            NUMBER);
        assertEquals(Map.of("x", 4.0), new JobRunner(Map.of()).run(job));
        assertTrue(ProcessHandle.current().children().noneMatch(child -> child.info().command().orElse("").endsWith("sleep")),
            "the server is gone");
    }

    @Test
    void medianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        Figures figures = new Figures();
        for (double value : new double[] {9, 1, 3, 5}) {
            figures.add(Map.of("x", value));
        }
        assertEquals(4.0, figures.median("x"));
        assertTrue(Double.isNaN(figures.median("y")), "what was not measured is no number");
        assertEquals(4.0, figures.best(List.of("y", "x")));
    }

    @Test
    void goalsAreMetMissedOrUnknown() {
        Figures figures = new Figures();
        figures.add(Map.of("ours", 8.0, "theirs", 10.0, "worse", 4.0));
        assertTrue(outcome(figures, List.of("worse", "theirs"), 0.8, false).isMet());
        assertFalse(outcome(figures, List.of("theirs"), 0.81, false).isMet());
        assertFalse(outcome(figures, List.of("worse"), 1.9, true).isMet());
        assertTrue(outcome(figures, List.of(), 8, false).isMet(), "an absolute goal");
        assertNull(outcome(figures, List.of("absent"), 1, false).isMet());
        assertNull(outcome(figures, List.of("theirs"), Double.NaN, false).isMet());
    }

    @Test
    void everyGoalNamesItsWorkOnceForEachOpponent() {
        List<String> names = Goals.all().stream().map(goal -> goal.work() + " / " + goal.against() + " / " + goal.bound()).toList();
        assertEquals(names.size(), names.stream().distinct().count());
    }

    @Test
    void everyOpponentHasAColumnOrIsOurs() {
        for (Goal goal : Goals.all()) {
            assertTrue(ComparisonReport.CONTENDERS.contains(goal.against())
                || List.of(Goals.ABSOLUTE, "our WRITE").contains(goal.against()), goal.against());
        }
    }

    @Test
    void theShortTableNamesWorksOfTheLongOne() {
        List<String> works = Goals.all().stream().map(Goal::work).toList();
        assertEquals(6, Goals.headline().size());
        assertTrue(works.containsAll(Goals.headline()), Goals.headline().toString());
    }

    @Test
    void aWorkIsOneRowWithAColumnForEachContender() {
        Figures figures = new Figures();
        figures.add(Map.of("rxe/rate", 2e6, "c/rate", 4e6, "ucx/rate", 1e6, "rxe/spin/p99", 12.346, "raw/spin/p99", 10.0));
        ComparisonReport report = report(figures);
        assertTrue(report.toMarkdown().startsWith("""
            | work | unit | rxe | C limit | raw Java | Aeron | libfabric | UCX | iperf3 | rxe / limit | goals | result |
            |---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|
            | SEND of 64 B, messages per second | 1/s | 2000000 | 4000000 | | | | 1000000 | | 0.50 | \
            >= 1000000, 0.25 C limit, 5.00 UCX | missed: 5.00 UCX |
            | SEND of 64 B, round trip, spinning, p99 | us | 12.35 | | 10.00 | | | | | | | |

            medians of 1 interleaved rounds of 1.0 s;"""), report.toMarkdown());
        assertTrue(report.toText().contains("missed: 5.00 UCX\n"), report.toText());
        assertEquals(List.of("UCX"), report.missed().stream().map(Outcome::against).toList());
    }

    @Test
    void theShortTableHasNoBounds() {
        Figures figures = new Figures();
        figures.add(Map.of("rxe/spin/p50", 9.0, "rxe/spin/p99", 9.0, "c/spin/p50", 10.0, "c/spin/p99", 10.0));
        assertEquals("""
            | work | unit | rxe | C limit | raw Java | Aeron | libfabric | UCX | iperf3 | rxe / limit | goals |
            |---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|
            | SEND of 64 B, round trip, spinning, p50 | us | 9.00 | 10.00 | | | | | | 0.90 | met |
            """, report(figures).toHeadlineMarkdown());
    }

    @Test
    void jsonKeepsAllThatTheTablesShow() {
        Figures figures = new Figures();
        figures.add(Map.of("rxe/rate", 1234567.8, "c/rate", 4e6, "rxe/spin/p50", 9.876543, "c/spin/p50", 10.0));
        ComparisonReport report = new ComparisonReport(MACHINE, 3, 1_500_000_000, report(figures).outcomes(), figures.samples(),
            Map.of("Aeron", "not here"), Map.of("a job", "failed"));
        ComparisonReport read = ComparisonReport.ofJson(report.toJson());
        assertEquals(report.outcomes(), read.outcomes());
        assertEquals(report.toText(), read.toText());
        assertTrue(report.toJson().contains("\"ratio\": 0.308642"), report.toJson());
    }

    @Test
    void refusesJsonOfAnotherKind() {
        assertThrows(IllegalArgumentException.class, () -> ComparisonReport.ofJson("{\"measurements\": []}"));
        assertThrows(IllegalArgumentException.class, () -> ComparisonReport.ofJson("{\"machine\": {}, \"ratios\": []}"));
    }

    private static ComparisonReport report(Figures figures) {
        return new ComparisonReport(MACHINE, 1, 1_000_000_000, Goals.all().stream().map(goal -> Outcome.of(goal, figures)).toList(),
            figures.samples(), Map.of(), Map.of());
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
        assertEquals(List.of(PeerJobs.AERON, PeerJobs.LIMIT), List.copyOf(jobs.missing().keySet()));
    }

    private static Outcome outcome(Figures figures, List<String> theirs, double bound, boolean atMost) {
        return Outcome.of(new Goal("work", "unit", "ours", "them", theirs, bound, atMost), figures);
    }
}
