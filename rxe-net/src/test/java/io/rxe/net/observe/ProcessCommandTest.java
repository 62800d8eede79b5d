package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("a counter file names its process as the user called it")
class ProcessCommandTest {
    @Test
    @DisplayName("a program that has a JVM in it by its own name")
    void foreignProgram() {
        assertEquals("ib_write_bw -D 5", ProcessCommand.of(null, "/usr/bin/ib_write_bw", "-D", "5"));
        assertEquals("rping", ProcessCommand.of(null, "rping"));
    }

    @Test
    @DisplayName("a jar without its folder and version, and a class as it is")
    void java() {
        assertEquals("rxe ib_write_bw -D 5", ProcessCommand.of("/opt/a b/rxe-0.1.0-SNAPSHOT.jar ib_write_bw -D 5", "/usr/bin/java"));
        assertEquals("rxe", ProcessCommand.of("rxe.jar", "/usr/bin/java"));
        assertEquals("io.example.Echo 10.0.0.1", ProcessCommand.of("io.example.Echo 10.0.0.1", "/usr/bin/java"));
    }
}
