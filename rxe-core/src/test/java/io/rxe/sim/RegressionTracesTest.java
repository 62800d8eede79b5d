package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Opcode;
import io.rxe.wire.RnrTimer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Traces of bugs that the simulation found, each reduced to a few packets. */
class RegressionTracesTest {
    private static Predicate<String> once(String... what) {
        Set<String> left = new HashSet<>(List.of(what));
        return left::remove;
    }

    private static void succeeded(List<WorkCompletion> completions) {
        for (WorkCompletion completion : completions) {
            assertEquals(CompletionStatus.SUCCESS, completion.status(), completion::toString);
        }
    }

    @Test
    @DisplayName("Q5: a lost READ response alone is requested again, and charges one retry whatever arrives after it")
    void aLostReadResponseIsAskedForAlone() {
        ScriptedPair pair = new ScriptedPair(4, once("RC_RDMA_READ_RESPONSE_MIDDLE 1"));
        pair.requester.postSend(new WorkRequest().id(1).read(0, pair.rightMemory.rKey()).add(pair.leftMemory, 0, 16 * 256));
        succeeded(pair.run(1));
        assertEquals(1, pair.count("RC_RDMA_READ_REQUEST 1"));
        assertEquals(2, pair.countOf(Opcode.RC_RDMA_READ_REQUEST));
        assertEquals(1, pair.count("RC_RDMA_READ_RESPONSE_ONLY 1"));
        assertEquals(1, pair.left.nic().counter(NicCounter.COMPLETER_RETRY_ERR));
    }

    @Test
    @DisplayName("Q11, R7: READs answered behind a lost response keep their places, so that the peer still remembers the unanswered READ")
    void readsBehindALostAnswerDoNotPushItOut() {
        ScriptedPair pair = new ScriptedPair(2, once("RC_RDMA_READ_RESPONSE_ONLY 0"));
        for (int i = 0; i < 8; i++) {
            pair.requester.postSend(new WorkRequest().id(i).read(0, pair.rightMemory.rKey()).add(pair.leftMemory, 256 * i, 100));
        }
        succeeded(pair.run(8));
        int retransmitted = pair.sent.lastIndexOf("RC_RDMA_READ_REQUEST 0");
        assertTrue(retransmitted < pair.sent.indexOf("RC_RDMA_READ_REQUEST 2"), pair.sent::toString);
    }

    @Test
    @DisplayName("T8: the RNR delay applies too when the RNR NAK is an implied NAK for a lost READ response")
    void theRnrDelayCountsBehindALostAnswer() {
        ScriptedPair pair = new ScriptedPair(4, once("RC_RDMA_READ_RESPONSE_ONLY 0"));
        pair.requester.postSend(new WorkRequest().id(1).read(0, pair.rightMemory.rKey()).add(pair.leftMemory, 0, 100));
        pair.requester.postSend(new WorkRequest().id(2).send().add(pair.leftMemory, 0, 100));
        long beginNs = pair.nowNs();
        succeeded(pair.run(1));
        assertEquals(2, pair.count("RC_SEND_ONLY 1"), pair.sent::toString);
        assertTrue(pair.nowNs() - beginNs >= RnrTimer.toNs(12), () -> "the SEND was retransmitted before the RNR delay was over");
        assertTrue(pair.responder.postReceive(new ReceiveRequest().add(pair.rightMemory, 0, 256)));
        succeeded(pair.run(1));
    }

    @Test
    @DisplayName("R18: a full sink does not let responses to another READ interrupt a run of READ responses")
    void aReplayedRunIsNotBroken() {
        ScriptedPair pair = new ScriptedPair(4, once("RC_RDMA_READ_RESPONSE_FIRST 0", "RC_RDMA_READ_RESPONSE_MIDDLE 1"));
        pair.right.fullProbability(0.5);
        pair.requester.postSend(new WorkRequest().id(1).read(0, pair.rightMemory.rKey()).add(pair.leftMemory, 0, 8 * 256));
        for (int i = 0; i < 3; i++) {
            pair.requester.postSend(new WorkRequest().id(2 + i).read(0, pair.rightMemory.rKey()).add(pair.leftMemory, 4096, 8 * 256));
        }
        succeeded(pair.run(4));
        int open = -1;
        for (String text : pair.sent) {
            if (text.startsWith("RC_RDMA_READ_RESPONSE")) {
                int place = Integer.parseInt(text.substring(text.indexOf(' ') + 1));
                boolean starts = text.contains("FIRST") || text.contains("ONLY");
                assertTrue(starts || place == open, () -> text + " continues no run: " + pair.sent);
                open = place + 1;
            }
        }
    }
}
