package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineInfoTest {
    @TempDir
    private Path directory;

    @Test
    void readsTheProcessorName() throws IOException {
        Path file = directory.resolve("cpuinfo");
        Files.writeString(file, "processor\t: 0\nmodel name\t: Some CPU @ 2.50GHz\nmodel name\t: Other\n");
        assertEquals("Some CPU @ 2.50GHz", MachineInfo.processorName(file));
    }

    @Test
    void takesTheArchitectureWhenTheProcessorHasNoName() throws IOException {
        Path file = directory.resolve("cpuinfo");
        Files.writeString(file, "processor\t: 0\n");
        assertEquals(System.getProperty("os.arch"), MachineInfo.processorName(file));
        assertEquals(System.getProperty("os.arch"), MachineInfo.processorName(directory.resolve("none")));
    }

    @Test
    void isUnknownWithoutACheckout() {
        assertEquals("unknown", MachineInfo.commit(directory));
    }

    @Test
    void readsThisMachine() {
        MachineInfo machine = MachineInfo.read("0123456789ab");
        assertFalse(machine.processor().isBlank());
        assertEquals(Runtime.getRuntime().availableProcessors(), machine.processors());
        assertEquals("0123456789ab", machine.commit());
    }
}
