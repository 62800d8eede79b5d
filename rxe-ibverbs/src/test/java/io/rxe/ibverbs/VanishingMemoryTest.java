package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.process.ProcessSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("registered memory that is unmapped, protected or truncated fails requests, and ends no process: vanish.c")
class VanishingMemoryTest {
    private static final String ADDRESS = "127.0.0.78";
    private static final int RUNS = Integer.getInteger("rxe.vanish.runs", 1);

    @TempDir
    private static Path folder;

    private static List<String> vanish(List<String> javaOptions, String... arguments) throws Exception {
        CProgram.requireHeader();
        Path program = CProgram.compile(folder, "vanish", "-libverbs", "-lpthread");
        Path library = CProgram.library();
        List<String> options = new ArrayList<>(Files.readAllLines(library.resolveSibling(NativeLibrary.OPTIONS)));
        options.addAll(javaOptions);
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).variables());
        variables.put("RXE_JVM", Files.write(folder.resolve("jvm.options"), options).toString());
        if (!arguments[0].equals("peer")) {
            variables.put("RXE_DEV", ADDRESS);
        }
        variables.put(ProcessSettings.UDP_PORT, Integer.toString(FreePorts.udp(ADDRESS, "127.0.0.1", "127.0.0.2")));
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        return CProgram.finish(new ProcessBuilder(command), folder.resolve("output"), variables);
    }

    private static void assertAllRight(List<String> printed) {
        assertTrue(printed.contains("all right"), () -> String.join("\n", printed));
    }

    /** Code that faults runs differently in each: the JVM has to know all of them. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation -XX:TieredStopAtLevel=4", "-Xcomp"})
    @DisplayName("every operation, every way to go away, on both sides: interpreted, and compiled by each compiler")
    void statuses(String mode) throws Exception {
        assertAllRight(vanish(List.of(mode.split(" ")), "statuses"));
    }

    @Test
    @DisplayName("memory goes away while requests that name it are in progress")
    void race() throws Exception {
        assertAllRight(vanish(List.of(), "race", "40"));
    }

    /** Two programs each time; {@code -Drxe.vanish.runs=100} repeats that. */
    @Test
    @DisplayName("memory goes away while another process READs and WRITEs it; both go on")
    void peer() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            assertAllRight(vanish(List.of(), "peer", "20"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-Xcomp"})
    @DisplayName("a program that handles faults gets its own, in registered memory too, and those of requests that a verb reads")
    void handlers(String mode) throws Exception {
        assertAllRight(vanish(List.of(mode), "handlers"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:-TieredCompilation"})
    @DisplayName("a READ of a page that the JVM protects for itself fails as one of any other page")
    void pagesOfTheJvm(String mode) throws Exception {
        assertAllRight(vanish(List.of(mode), "own"));
    }

    @Test
    @DisplayName("ibv_advise_mr brings pages in and refuses what ibv_advise_mr(3) names; the device advertises on-demand paging")
    void advice() throws Exception {
        assertAllRight(vanish(List.of(), "advise"));
    }
}
