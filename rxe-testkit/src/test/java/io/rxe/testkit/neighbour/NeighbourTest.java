package io.rxe.testkit.neighbour;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@DisplayName("The command with the bottleneck says what is wrong with its options before it makes a network")
class NeighbourTest {
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', value = {
        "--duration | 1        | --duration 1 is less than 2: .*",
        "--warm-up  | 0        | --warm-up 0 is less than 1: .*",
        "--drop     | 100,1    | --drop 1 is less than 2: no packet would be left; 100 is 1 %",
        "--tcp      | nonsense | --tcp nonsense: this kernel has .*\\w+.*; choose of these, or load it \\(modprobe tcp_nonsense\\)"})
    void anErrorNamesValueLimitAndRemedy(String option, String value, String error) {
        StringWriter printed = new StringWriter();
        CommandLine command = new CommandLine(new NeighbourCommand()).setErr(new PrintWriter(printed));
        assertEquals(CommandLine.ExitCode.USAGE, command.execute(option, value), printed::toString);
        String first = printed.toString().lines().findFirst().orElse("");
        assertTrue(Pattern.matches(error, first), first);
    }

    @Test
    @DisplayName("a number that is there twice makes one row, and its programs one folder")
    void numbersAreASet() {
        for (String option : List.of("--buffers", "--queue-pairs", "--programs", "--drop")) {
            Set<Integer> numbers = new CommandLine(new NeighbourCommand()).parseArgs(option, "7,3,7").matchedOption(option).getValue();
            assertEquals(List.of(7, 3), List.copyOf(numbers), option);
        }
    }
}
