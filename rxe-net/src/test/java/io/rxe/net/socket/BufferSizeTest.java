package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Which socket buffers are worth a warning")
class BufferSizeTest {
    @ParameterizedTest
    @CsvSource({"4194304, 4194304, false", "2097152, 4194304, false", "212992, 4194304, true", "65536, 65536, false",
        "4194304, 1073741824, true", "1073741823, 1073741824, false", "4194304, 8388608, true"})
    void thoseThatAreSmallOrClearlyLessThanAskedForOnPurpose(int got, int wanted, boolean warned) {
        assertEquals(warned, SocketOpener.isTooSmall(got, wanted));
    }
}
