package io.rxe.tools.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The status line")
class StatusLineTest {
    @ParameterizedTest
    @CsvSource({"/dev/pts/3, true", "/dev/tty1, true", "/dev/console, true", "pipe:[123], false", "/dev/null, false", "/tmp/tty, false"})
    void whatADescriptorLeadsToTellsWhetherItIsATerminal(String target, boolean isTerminal) {
        assertEquals(isTerminal, StatusLine.isTerminal(target));
    }

    private static final String ERASED = "\r\u001b[K";

    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private final StatusLine line = new StatusLine(terminal);

    private String output() {
        String text = terminal.toString(UTF_8);
        terminal.reset();
        return text;
    }

    @Test
    void isReplacedByTheNextAndErasedBeforeOtherOutput() {
        PrintWriter out = new PrintWriter(line.over(terminal), true, UTF_8);
        out.println("first");
        assertEquals("first\n", output());
        line.show("one");
        line.show("two");
        assertEquals(ERASED + "one" + ERASED + "two", output());
        out.println("second");
        assertEquals(ERASED + "second\n", output());
        out.println("third");
        assertEquals("third\n", output());
    }

    @Test
    void isErasedAtTheEnd() {
        line.show("one");
        output();
        line.close();
        line.show("two");
        assertEquals(ERASED, output());
    }

    @Test
    void neverWrapsInEightyColumns() {
        line.show("x".repeat(200));
        assertEquals(ERASED + "x".repeat(79), output());
    }

    @Test
    void showsCommandTimeAndProgress() {
        assertEquals("rc_pingpong: 12 s, 1,234,567 packets sent, 8 received",
            LongRun.text("rc_pingpong", 12_900_000_000L, LongRun.packets(1_234_567, 8)));
    }
}
