package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.readOnly;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rules Q11, Q13: attributes change in SQD only after the drain, and never so that the send queue stalls. */
public class DrainedChangeTest {
    private static QueuePairAttributes maxRdAtomic(int value) {
        return QueuePairAttributes.to(QueuePairState.SQD).maxRdAtomic(value);
    }

    private static String refusal(Trace trace, QueuePairAttributes change) {
        return assertThrows(IllegalArgumentException.class, () -> trace.pair.modify(change)).getMessage();
    }

    @Test
    @DisplayName("Q11 Q13 max_rd_atomic cannot change before the drain; a READ of several requests then goes on to its end")
    void nothingChangesBeforeTheDrain() {
        Trace trace = Trace.inRts().maxRdAtomic(1).open();
        trace.posts(read(60 * 1024)).expect(readRequest(0x100, 32 * 1024)).expectNothing();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        String text = refusal(trace, maxRdAtomic(0));
        assertTrue(text.contains("32 packets") && text.contains("0 are allowed") && text.contains("SQ_DRAINED"), text);
        for (int i = 0; i < 32; i++) {
            trace.peerSends(i == 0 ? PeerPacket.readFirst(0x100, 1024)
                : i == 31 ? PeerPacket.readLast(0x11F, 1024) : PeerPacket.readMiddle(0x100 + i, 1024));
        }
        trace.expect(readRequest(0x120, 28 * 1024)).expectNothing();
    }

    @Test
    @DisplayName("Q13 a queue pair that returns to RTS before the drain has no other window: what it has in flight still fills it")
    void returningKeepsTheWindow() {
        Trace trace = Trace.inRts().open();
        int window = trace.posts(write(64 * 1024)).takeAll().size();
        assertTrue(window < 64);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.expectNothing();
    }

    @Test
    @DisplayName("Q13 a drain in the middle of a message does not move the request of the next ACK, for which packets in flight wait")
    void aDrainKeepsTheAckRequests() {
        assertEquals(ackRequests(false), ackRequests(true));
    }

    /** Whether each packet of a message requests an ACK, the queue pair being drained after three or not. */
    private static List<Boolean> ackRequests(boolean isDrained) {
        Trace trace = Trace.inRts().open();
        trace.sink.room(3);
        trace.posts(write(64 * 1024));
        if (isDrained) {
            trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        }
        trace.sink.room(100);
        List<Boolean> requests = trace.run().takeAll().stream().map(SentFrame::isAckRequested).toList();
        assertTrue(requests.contains(true));
        return requests;
    }

    @Test
    @DisplayName("Q11 max_rd_atomic 0 is refused while a READ is posted, and allowed when none is")
    void noPostedReadLosesItsPlace() {
        Trace trace = Trace.inRts().open();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.posts(send(8), read(8)).expectNothing();
        String text = refusal(trace, maxRdAtomic(0));
        assertTrue(text.contains("MAX_RD_ATOMIC 0 < 1") && text.contains("set at least 1"), text);
        trace.pair.modify(maxRdAtomic(1));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.run().takeAll();
        trace.peerSends(ackOf(0x100), readOnly(0x101, 8));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.pair.modify(maxRdAtomic(0));
    }
}
