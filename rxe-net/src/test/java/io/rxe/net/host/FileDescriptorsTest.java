package io.rxe.net.host;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class FileDescriptorsTest {
    @Test
    void tooFewAreRefusedWithUseLimitAndRemedy() {
        IOException refused = assertThrows(IOException.class, () -> FileDescriptors.require(28, 36, 1));
        assertEquals("the process has 28 of 36 file descriptors open, and a NIC of 1 engine needs up to 11 more: raise the limit (ulimit"
            + " -n 1024) or close some", refused.getMessage());
        assertThrows(IOException.class, () -> FileDescriptors.require(900, 1024, 64));
    }

    @Test
    void enoughAreEnough() {
        assertDoesNotThrow(() -> FileDescriptors.require(28, 40, 1));
        assertDoesNotThrow(() -> FileDescriptors.require(28, Long.MAX_VALUE, 64));
        assertDoesNotThrow(() -> FileDescriptors.require(1));
    }
}
