package io.rxe.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The line that changes while something takes longer")
class StatusLineTest {
    private static final String ERASED = "\r\u001b[K";

    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private final StatusLine line = new StatusLine(terminal);

    private String seen() {
        String text = terminal.toString(UTF_8);
        terminal.reset();
        return text;
    }

    @Test
    void isReplacedByTheNextAndErasedBeforeWhatIsPrinted() {
        PrintWriter out = new PrintWriter(line.over(terminal), true, UTF_8);
        out.println("first");
        assertEquals("first\n", seen());
        line.show("one");
        line.show("two");
        assertEquals(ERASED + "one" + ERASED + "two", seen());
        out.println("second");
        assertEquals(ERASED + "second\n", seen());
        out.println("third");
        assertEquals("third\n", seen());
    }

    @Test
    void neverStaysBehindAtTheEnd() {
        line.show("one");
        seen();
        line.close();
        line.show("two");
        assertEquals(ERASED, seen());
    }

    @Test
    void neverWrapsInEightyColumns() {
        line.show("x".repeat(200));
        assertEquals(ERASED + "x".repeat(79), seen());
    }

    @Test
    void saysCommandTimeAndHowFarItIs() {
        assertEquals("rc_pingpong: 12 s, 1,234,567 packets sent, 8 received",
            LongRun.text("rc_pingpong", 12_900_000_000L, LongRun.packets(1_234_567, 8)));
    }
}
