package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.verbs.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {
    @Test
    void atomicsAppearOnceForAnySizes() {
        assertEquals(
            List.of(new Workload(Operation.SEND, 0), new Workload(Operation.SEND, 9), new Workload(Operation.FETCH_AND_ADD, 8)),
            Workload.of(List.of(Operation.SEND, Operation.FETCH_AND_ADD), List.of(0, 9)));
    }

    @Test
    void sizesMustFitTheOperation() {
        assertThrows(IllegalArgumentException.class, () -> new Workload(Operation.SEND, -1));
        assertThrows(IllegalArgumentException.class, () -> new Workload(Operation.COMPARE_AND_SWAP, 4));
    }

    @Test
    void operationsHaveShortAndLongNamesAndOneOrder() {
        assertEquals(List.of(Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.COMPARE_AND_SWAP),
            OperationNames.parse(List.of("CAS", "send-imm", "send", "send")));
        assertEquals(OperationNames.ALL, OperationNames.parse(List.of("all")));
    }

    @Test
    void anUnknownOperationIsNamedWithTheChoices() {
        IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> OperationNames.parse(List.of("sned")));
        assertEquals("operation 'sned' does not exist: use send, send_imm, write, write_imm, read, cas, fadd or all",
            refused.getMessage());
    }
}
