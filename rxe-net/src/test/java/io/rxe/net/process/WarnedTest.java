package io.rxe.net.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.net.port.Warnings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WarnedTest {
    @Test
    @DisplayName("without RXE_VERBOSE a program's standard error has what was not done as asked, once, and no advice")
    void whatWasNotDone() {
        Warnings warnings = new Warnings(new ProcessSettings(name -> null, name -> null).options("127.0.0.1").warnings());
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            warnings.incomplete("capture", "the capture ends here");
            warnings.incomplete("capture", "the capture ends here");
            warnings.once("rmem", "raise net.core.rmem_max");
            warnings.pass("a listener was slow");
        } finally {
            System.setErr(before);
        }
        assertEquals("rxe: the capture ends here\n", said.toString(StandardCharsets.UTF_8));
    }
}
