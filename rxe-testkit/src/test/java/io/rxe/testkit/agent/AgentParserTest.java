package io.rxe.testkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkCompletion;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgentParserTest {
    @Test
    void aReceiveWithImmediateDataIsWrittenInFull() {
        WorkCompletion completion = new WorkCompletion()
            .reset(5, CompletionStatus.SUCCESS, Operation.RECEIVE, 17).byteLength(1025).immediate(0x81020304);

        assertEquals("5:SUCCESS:RECV:1025:0x81020304:17", AgentParser.word(completion));
    }

    @Test
    void anErrorHasOnlyItsDefinedFields() {
        WorkCompletion completion = new WorkCompletion()
            .reset(6, CompletionStatus.REM_ACCESS_ERR, Operation.RDMA_READ, 17).byteLength(99);

        assertEquals("6:REM_ACCESS_ERR:-:0:-:17", AgentParser.word(completion));
    }

    @Test
    void everyQueuePairStateIsReadBack() {
        for (QueuePairState state : QueuePairState.values()) {
            assertEquals(state, AgentParser.state(AgentParser.word(state)));
        }
        assertEquals("ERR", AgentParser.word(QueuePairState.ERROR));
    }

    @Test
    void accessFlagsAreCombinedAndUnknownOnesRefused() {
        assertEquals(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC, AgentParser.access(List.of("local_write", "remote_atomic")));
        assertThrows(IllegalArgumentException.class, () -> AgentParser.access(List.of("remote_flush")));
    }

    @Test
    void windowsHaveTheirFlagsAndWords() {
        assertEquals(AccessFlags.MW_BIND | AccessFlags.ZERO_BASED, AgentParser.access(List.of("mw_bind", "zero_based")));
        assertEquals(Operation.LOCAL_INV, AgentParser.operation("LOCAL_INV"));
        assertEquals("3:SUCCESS:BIND_MW:0:-:17",
            AgentParser.word(new WorkCompletion().reset(3, CompletionStatus.SUCCESS, Operation.BIND_MW, 17)));
    }

    @Test
    void anUnknownOpcodeIsReported() {
        IllegalArgumentException refusal =
            assertThrows(IllegalArgumentException.class, () -> AgentParser.operation("DRAIN"));

        assertEquals(true, refusal.getMessage().startsWith("opcode 'DRAIN'"));
    }
}
