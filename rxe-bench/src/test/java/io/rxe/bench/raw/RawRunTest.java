package io.rxe.bench.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.MachineInfo;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Raw UDP")
class RawRunTest {
    private static final MachineInfo MACHINE = new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void movesFramesIntactAndMeasuresRoundTrips(boolean coalescing) throws IOException {
        RawReport report = new RawRun(List.of(4096, 64), coalescing, 500_000_000).run(MACHINE, step -> { });
        assertEquals(2, report.rows().size());
        for (RawReport.Row row : report.rows()) {
            assertTrue(row.goodput().frames() > 0, "frames of " + row.goodput().payloadBytes() + " bytes arrived");
            assertEquals(0, row.goodput().spoiled());
            assertTrue(row.spinning().getTotalCount() > 0, "spinning threads made round trips");
            assertTrue(row.blocking().getTotalCount() > 0, "sleeping threads made round trips");
        }
        assertTrue(report.toText().contains(coalescing ? "GRO receive" : "plain receive"), report.toText());
        assertTrue(report.toJson().contains("\"payload_bytes\": 4096"), report.toJson());
    }

    @Test
    void readsAFrameAsBuiltAndDetectsACorruptOne() {
        RawFrame frame = new RawFrame(1000);
        frame.make(0, 7);
        frame.make(frame.lengthBytes(), 8);
        assertEquals(8, frame.numberAt(frame.lengthBytes()));
        assertTrue(frame.take(0));
        assertTrue(frame.take(frame.lengthBytes()));
        frame.putNumber(0, 9);
        assertFalse(frame.take(0));
    }

    @Test
    void refusesAPayloadTooLongForADatagram() {
        IllegalArgumentException refusal =
            assertThrows(IllegalArgumentException.class, () -> new RawRun(List.of(65536), true, 1));
        assertTrue(refusal.getMessage().startsWith("payload 65536 is not in 8..32000"), refusal.getMessage());
    }
}
