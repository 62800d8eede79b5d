package io.rxe.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkCompletion;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Failures of an rping connection")
class PingSideTest {
    private final StringWriter err = new StringWriter();
    private final PrintWriter errors = new PrintWriter(err);
    // Needs no endpoint: it fails before it posts anything.
    private final PingClient client = new PingClient(null, new PingLog(errors, errors, false, false), 1, true, "10.0.0.2 port 7174");

    private static WorkCompletion completion(CompletionStatus status, Operation operation) {
        return new WorkCompletion().reset(0, status, operation, 17);
    }

    @Test
    void aFailedRequestIsReportedWithRpingsTextAndOurs() {
        client.onCompletion(completion(CompletionStatus.RETRY_EXC_ERR, Operation.SEND));
        assertEquals("cq completion failed status 12\nwait for CONNECTED state 11\n", err.toString());
        assertEquals("ping 0 with 10.0.0.2 port 7174 failed: RETRY_EXC_ERR (" + CompletionStatus.RETRY_EXC_ERR.sentence() + ")",
            client.failure());
        assertEquals(PingClient.Step.FAILED, client.step());
    }

    @Test
    void aMessageOfAnotherSizeIsNotRpings() {
        client.onCompletion(completion(CompletionStatus.SUCCESS, Operation.RECEIVE).byteLength(8));
        assertEquals("Received bogus data, size 8\nwait for CONNECTED state 11\n", err.toString());
        assertEquals("10.0.0.2 port 7174 sent a message of 8 bytes, those of rping have 16: is it another program?", client.failure());
        assertEquals(PingClient.Step.FAILED, client.step());
    }

    @Test
    void theFirstFailureIsKept() {
        client.onCompletion(completion(CompletionStatus.SUCCESS, Operation.RECEIVE).byteLength(8));
        client.onCompletion(completion(CompletionStatus.RETRY_EXC_ERR, Operation.SEND));
        assertEquals("10.0.0.2 port 7174 sent a message of 8 bytes, those of rping have 16: is it another program?", client.failure());
    }

    @Test
    void flushedRequestsAreNoFailure() {
        client.onCompletion(completion(CompletionStatus.WR_FLUSH_ERR, Operation.RECEIVE));
        assertEquals("", err.toString());
        assertEquals("", client.failure());
        assertEquals(PingClient.Step.CONNECTING, client.step());
    }
}
