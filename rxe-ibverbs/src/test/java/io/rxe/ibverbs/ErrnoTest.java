package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("what a program reads of a failure")
class ErrnoTest {
    static Stream<Arguments> failures() {
        return Stream.of(Arguments.of("a limit: raise it", new IllegalArgumentException("a limit: raise it")),
            Arguments.of("it is closed: open another", new IllegalStateException("it is closed: open another")),
            Arguments.of("no such port: name another", new IOException("no such port: name another")),
            Arguments.of("busy: wait", VerbFailure.of(VerbError.EBUSY, "busy: wait")),
            Arguments.of("java.lang.IllegalStateException", new IllegalStateException()),
            Arguments.of("java.lang.NullPointerException: the field is null", new NullPointerException("the field is null")));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("failures")
    @DisplayName("the sentence of this NIC is said as it is; what it did not expect, and what has no sentence, with its class")
    void sentences(String sentence, Throwable failure) {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            Errno.ofOpening(failure);
        } finally {
            System.setErr(before);
        }
        assertEquals("rxe: " + sentence, said.toString(StandardCharsets.UTF_8).trim());
    }
}
