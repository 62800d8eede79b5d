package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The verify pass")
class VerifyPassTest {
    private static final List<Integer> SIZES = List.of(0, 1, 1023, 1024, 1025);

    @Test
    void coversEveryOperationAndSizeInBothDirections() {
        List<String> steps = new ArrayList<>();
        VerifyReport report = verify(PairedDevice.Fault.NONE, OperationNames.ALL, 2, steps);
        // Five operations with five sizes and two atomics with four variants, both ways, on two queue pairs.
        assertEquals(2 * 2 * (5 * 5 + 2 * 4), report.transfers());
        assertEquals(7, report.operations());
        assertEquals(2 * 2 * (5 * (1 + 1023 + 1024 + 1025) + 2 * 4 * 8), report.bytesMoved());
        assertTrue(report.bytesCompared() > 10 * report.bytesMoved(), "memory around the targets is compared as well");
        assertEquals(5 * 5 + 2, steps.size());
        assertEquals("verify SEND of 1 byte", steps.get(1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "FLIPPED_BYTE        | SEND                      | byte 0 of the message is",
        "FLIPPED_BYTE        | RDMA_WRITE                | byte 0 of the message is",
        "FLIPPED_BYTE        | RDMA_READ                 | byte 0 of the message is",
        "BYTE_BEYOND_THE_END | SEND_WITH_IMMEDIATE       | memory outside the message was written, 0 bytes behind it",
        "SOURCE_CHANGED      | SEND                      | of the source memory has changed",
        "SHORT_LENGTH        | SEND                      | length of the receive completion is 0, expected 1",
        "WRONG_IMMEDIATE     | SEND_WITH_IMMEDIATE       | immediate data is",
        "WRONG_IMMEDIATE     | RDMA_WRITE_WITH_IMMEDIATE | immediate data is",
        "DOUBLE_COMPLETION   | RDMA_WRITE                | 1 completions more than requests",
        "ATOMIC_TWICE        | FETCH_AND_ADD             | value in the peer's memory is",
        "STALE_ATOMIC_VALUE  | COMPARE_AND_SWAP          | old value returned is",
        "ERROR_STATUS        | RDMA_WRITE                | REM_ACCESS_ERR (remote access error",
    })
    void detectsAndNames(PairedDevice.Fault fault, Operation operation, String words) {
        TransferFailure failure =
            assertThrows(TransferFailure.class, () -> verify(fault, List.of(operation), 1, new ArrayList<>()));
        assertTrue(failure.getMessage().contains(words), failure.getMessage());
    }

    private static VerifyReport verify(PairedDevice.Fault fault, List<Operation> operations, int queuePairs, List<String> steps) {
        PairedDevice[] devices = PairedDevice.couple(fault);
        PairConfig config = new PairConfig(PathMtu.MTU_1024, queuePairs, 16, 5);
        try (LoopbackPair pair = LoopbackPair.connect(devices[0], devices[1], config)) {
            return new VerifyPass(pair, operations, SIZES, 5).run(steps::add);
        }
    }
}
