package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.compare.ComparisonReport;
import io.rxe.bench.plot.ComparisonPlot;
import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("rxe compare")
class CompareCommandTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path RESULT = DOCS.resolve("performance.json");

    @TempDir
    private Path directory;

    @Test
    void refusesAFileWithoutMarksBeforeItMeasures() throws IOException {
        Path file = Files.writeString(directory.resolve("performance.md"), "# no marks\n");
        Run run = Run.of("compare", "--markdown", file.toString());
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("lacks the lines '<!-- tools/compare --markdown: begin -->'"), run.err());
    }

    @Test
    void putsTheTablesOfAResultBetweenTheMarksAndDrawsIt() throws IOException {
        String begin = "<!-- tools/compare --markdown: begin -->";
        String end = "<!-- tools/compare --markdown: end -->";
        Path file = Files.writeString(directory.resolve("performance.md"), "before\n" + begin + "\nold\n" + end + "\nafter\n");
        Path picture = directory.resolve("performance.svg");
        Run run = Run.of("compare", "--from", RESULT.toString(), "--markdown", file.toString(), "--svg", picture.toString());
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        String text = Files.readString(file);
        assertTrue(text.startsWith("before\n" + begin + "\nmachine: ") && text.endsWith("\n" + end + "\nafter\n"), text);
        assertFalse(text.contains("old"), text);
        assertTrue(Files.readString(picture).startsWith("<svg "), "a picture");
    }

    @Test
    void refusesAFileWithoutResults() throws IOException {
        Path file = Files.writeString(directory.resolve("other.json"), "{}");
        Run run = Run.of("compare", "--from", file.toString());
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("cannot read the results in " + file), run.err());
    }

    @Test
    void theDocumentsShowTheCommittedResult() throws IOException {
        ComparisonReport result = ComparisonReport.ofJson(Files.readString(RESULT));
        assertFalse(result.rows().isEmpty());
        assertEquals(6, result.headlineRows().size());
        for (Path document : List.of(DOCS.resolve("performance.md"), DOCS.resolveSibling("README.md"))) {
            MarkedTables tables = MarkedTables.read(document, null);
            assertEquals(tables.with(result), tables.text(), document + ": tools/rxe compare --from docs/performance.json renews it");
        }
        assertEquals(ComparisonPlot.draw(result), Files.readString(DOCS.resolve("performance.svg")));
    }

    /** Tables that docs/performance.md has beside the first, by the words of their marks; a file exists once it was measured. */
    @Test
    void theOtherTablesShowTheirCommittedResults() throws IOException {
        for (String words : List.of("veth", "Java 25")) {
            MarkedTables tables = MarkedTables.read(DOCS.resolve("performance.md"), words);
            Path result = DOCS.resolve("performance-" + words.toLowerCase(Locale.ROOT).replace(" ", "") + ".json");
            String expected = Files.exists(result) ? tables.with(ComparisonReport.ofJson(Files.readString(result))) : tables.text();
            assertEquals(expected, tables.text(), words);
        }
    }

    @Test
    void refusesAFileWithoutTheMarkThatWasChosen() throws IOException {
        Path file = Files.writeString(directory.resolve("performance.md"), "# no marks\n");
        Run run = Run.of("compare", "--markdown", file.toString(), "--mark", "veth");
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("lacks the lines '<!-- tools/compare --markdown, veth: begin -->'"), run.err());
    }

    @Test
    void putsATableOfAnotherKindBetweenItsOwnMarks() throws IOException {
        String usual = "<!-- tools/compare --markdown: begin -->\nusual\n<!-- tools/compare --markdown: end -->\n";
        Path file = Files.writeString(directory.resolve("performance.md"),
            usual + "<!-- tools/compare --markdown, veth: begin -->\nold\n<!-- tools/compare --markdown, veth: end -->\n");
        Run run = Run.of("compare", "--from", RESULT.toString(), "--markdown", file.toString(), "--mark", "veth");
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        String text = Files.readString(file);
        assertTrue(text.startsWith(usual + "<!-- tools/compare --markdown, veth: begin -->\nmachine: "), text);
        assertFalse(text.contains("old"), text);
    }

    @Test
    void refusesOneNamespace() {
        Run run = Run.of("compare", "--veth", "a");
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains("--veth needs two namespaces, not 1"), run.err());
    }

    @Test
    void refusesNoRounds() {
        Run run = Run.of("compare", "--rounds", "0");
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains("rounds 0 is not in 1..100"), run.err());
    }
}
