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
        assertEquals(Map.of("x", List.of(1.0, 2.0, 3.0), "y", List.of(7.0, 7.0, 7.0)), report.figures().samples());
        assertEquals(2.0, report.figures().median("x"));
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
        assertEquals(5.0, report.figures().median("x"));
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
        assertTrue(goal("ours", List.of("worse", "theirs"), 0.8, false).isMet(figures));
        assertFalse(goal("ours", List.of("theirs"), 0.81, false).isMet(figures));
        assertFalse(goal("ours", List.of("worse"), 1.9, true).isMet(figures));
        assertTrue(goal("ours", List.of(), 8, false).isMet(figures), "an absolute goal");
        assertNull(goal("ours", List.of("absent"), 1, false).isMet(figures));
        assertNull(goal("ours", List.of("theirs"), Double.NaN, false).isMet(figures));
    }

    @Test
    void everyGoalNamesItsWorkOnceForEachOpponent() {
        List<String> names = Goals.all().stream().map(goal -> goal.work() + " / " + goal.against() + " / " + goal.bound()).toList();
        assertEquals(names.size(), names.stream().distinct().count());
    }

    @Test
    void reportIsATableForPeopleMarkdownAndJson() {
        Figures figures = new Figures();
        figures.add(Map.of("rxe/rate", 2e6, "c/rate", 4e6, "ucx/rate", 1e6));
        ComparisonReport report =
            new ComparisonReport(MACHINE, 1, 1_000_000_000, figures, Goals.all(), Map.of(), Map.of());
        String row = "| SEND of 64 B, messages a second | 2000000 | 1/s | C limit | 4000000 | 0.50 | >= 0.25 | met |";
        assertTrue(report.toMarkdown().contains(row), report.toMarkdown());
        assertTrue(report.toText().contains("  missed\n"), report.toText());
        assertEquals(1, report.missed().size());
        assertTrue(report.toJson().contains("\"ratio\": 0.5"), report.toJson());
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

    private static Goal goal(String ours, List<String> theirs, double bound, boolean atMost) {
        return new Goal("work", "unit", ours, "them", theirs, bound, atMost);
    }
}
