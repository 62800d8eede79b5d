package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.Frames;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EpollPacketSinkTest {
    private static final Flow FLOW = Frames.flow("127.0.0.1", 4791, "127.0.0.2", 4791);
    private static final Flow OTHER = Frames.flow("127.0.0.1", 4791, "127.0.0.3", 4791);
    private static final Flow SIX = Frames.flow("::1", 4791, "::2", 4791);

    private final RecordingPort port = new RecordingPort();
    private final NetCounters counters = new NetCounters(null, null);
    private final List<String> warnings = new ArrayList<>();
    private final Random random = new Random(1);
    private final Icrc icrc = new Icrc();
    private EpollPacketSink sink = newSink();

    @Test
    void framesOfOneLengthLeaveInOneBatchWithTheirPlaceAsIdentification() {
        for (int frame = 0; frame < 5; frame++) {
            middle(frame, 1024);
        }
        assertTrue(sink.flush());
        assertEquals(1, port.sent.size());
        assertEquals(List.of(0, 1, 2, 3, 4), identifications(port.sent.get(0)));
        assertEquals(5, counters.get(NetCounter.SENT_FRAMES));
        assertEquals(5 * 1040, counters.get(NetCounter.SENT_BYTES));
    }

    @Test
    void aShorterFrameClosesTheBatch() {
        middle(0, 1024);
        Frames.send(sink, FLOW, Opcode.RC_SEND_LAST, 17, 1, 100, random);
        assertEquals(0, port.sent.size());
        Frames.send(sink, FLOW, Opcode.RC_SEND_ONLY, 17, 2, 100, random);
        assertEquals(1, port.sent.size());
        assertEquals(List.of(0, 1), identifications(port.sent.get(0)));
        assertTrue(sink.flush());
        assertEquals(List.of(0), identifications(port.sent.get(1)));
    }

    @Test
    void aLongerFrameStartsABatch() {
        middle(0, 256);
        middle(1, 1024);
        assertEquals(1, port.sent.size());
        assertTrue(sink.flush());
        assertEquals(1040, port.sent.get(1).lengthBytes());
    }

    @Test
    void anotherFlowBeginsABatchOfItsOwn() {
        middle(0, 256);
        Frames.send(sink, OTHER, Opcode.RC_SEND_MIDDLE, 17, 1, 256, random);
        assertTrue(sink.flush());
        assertEquals(FLOW, port.sent.get(0).flow());
        assertEquals(OTHER, port.sent.get(1).flow());
        assertEquals(List.of(0), identifications(port.sent.get(1)));
    }

    @Test
    void anotherTrafficClassBeginsABatchOfItsOwn() {
        middle(0, 256);
        Frames.send(sink, FLOW.withTrafficClass(0xB8), Opcode.RC_SEND_MIDDLE, 18, 1, 256, random);
        Frames.send(sink, FLOW.withTrafficClass(0xB8), Opcode.RC_SEND_MIDDLE, 18, 2, 256, random);
        assertTrue(sink.flush());
        assertEquals(List.of(0, 0xB8), port.sent.stream().map(sent -> sent.flow().trafficClass()).toList());
        assertEquals(List.of(0, 1), identifications(port.sent.get(1)));
    }

    @Test
    void equalFlowsShareABatch() {
        middle(0, 256);
        Frames.send(sink, Frames.flow("127.0.0.1", 4791, "127.0.0.2", 4791), Opcode.RC_SEND_MIDDLE, 18, 1, 256, random);
        assertTrue(sink.flush());
        assertEquals(1, port.sent.size());
    }

    @Test
    void aBatchHasAtMost64FramesAnd65507Bytes() {
        for (int frame = 0; frame < 65; frame++) {
            middle(frame, 256);
        }
        assertEquals(64 * 272, port.sent.get(0).lengthBytes());
        assertTrue(sink.flush());
        for (int frame = 0; frame < 16; frame++) {
            middle(frame, 4096);
        }
        assertEquals(15 * 4112, port.sent.get(2).lengthBytes());
    }

    @Test
    void ipv6FramesHaveNoIdentification() {
        for (int frame = 0; frame < 3; frame++) {
            Frames.send(sink, SIX, Opcode.RC_SEND_MIDDLE, 17, frame, 256, random);
        }
        assertTrue(sink.flush());
        for (int frame = 0; frame < 3; frame++) {
            assertTrue(icrc.isValidIpv6(port.sent.get(0).bytes(), frame * 272, 272, SIX.icrcSeed()));
        }
    }

    @Test
    void aFullSocketKeepsTheBatchAndClaimReturnsFull() {
        port.results.add(SendStatus.BUSY);
        port.results.add(SendStatus.BUSY);
        middle(0, 256);
        middle(1, 256);
        assertFalse(sink.flush());
        assertTrue(sink.isBlocked());
        assertEquals(PacketSink.FULL, sink.claim(FLOW, 272));
        assertFalse(sink.flush());
        assertTrue(sink.flush());
        assertFalse(sink.isBlocked());
        assertEquals(List.of(0, 1), identifications(port.sent.get(0)));
        assertTrue(sink.claim(FLOW, 272) >= 0);
    }

    @Test
    void aClaimThatMustFlushFirstReturnsFullWhenTheSocketIsFull() {
        port.results.add(SendStatus.BUSY);
        middle(0, 256);
        assertEquals(PacketSink.FULL, sink.claim(OTHER, 272));
        assertTrue(sink.flush());
        assertEquals(FLOW, port.sent.get(0).flow());
        assertEquals(0, sink.claim(OTHER, 272));
    }

    @Test
    void refusedSegmentationFallsBackToSingleFramesWithIdentificationZero() {
        port.results.add(SendStatus.SEGMENTATION_REFUSED);
        for (int frame = 0; frame < 3; frame++) {
            middle(frame, 256);
        }
        Frames.send(sink, FLOW, Opcode.RC_SEND_LAST, 17, 3, 8, random);
        assertTrue(sink.flush());
        assertEquals(4, port.sent.size());
        for (RecordingPort.Sent one : port.sent) {
            assertEquals(List.of(0), identifications(one));
        }
        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(warnings.get(0).contains("UDP_SEGMENT"), warnings.toString());
        middle(4, 256);
        middle(5, 256);
        assertTrue(sink.flush());
        assertEquals(6, port.sent.size());
        assertEquals(List.of(0), identifications(port.sent.get(5)));
        assertEquals(1, warnings.size());
    }

    @Test
    void aFrameThatNoSendCanCarryDoesNotEndSegmentation() {
        port.results.addAll(List.of(SendStatus.SEGMENTATION_REFUSED, SendStatus.FAILED, SendStatus.FAILED));
        middle(0, 4096);
        middle(1, 4096);
        assertTrue(sink.flush());
        assertEquals(2, counters.get(NetCounter.DROPPED_FRAMES));
        assertEquals(List.of(), warnings);
        middle(2, 256);
        middle(3, 256);
        assertTrue(sink.flush());
        assertEquals(1, port.sent.size());
        assertEquals(List.of(0, 1), identifications(port.sent.get(0)));
    }

    @Test
    void aBatchThatLeavesFrameByFrameContinuesWhereTheSocketWasFull() {
        port.segments = false;
        sink = newSink();
        port.results.addAll(List.of(SendStatus.SENT, SendStatus.BUSY));
        for (int frame = 0; frame < 3; frame++) {
            middle(frame, 256);
        }
        assertFalse(sink.flush());
        assertEquals(PacketSink.FULL, sink.claim(FLOW, 272));
        assertTrue(sink.flush());
        assertEquals(3, port.sent.size());
        assertEquals(3, counters.get(NetCounter.SENT_FRAMES));
    }

    @Test
    void aFailedSendDropsTheFramesAndTheSinkContinues() {
        port.results.add(SendStatus.FAILED);
        middle(0, 256);
        middle(1, 256);
        assertTrue(sink.flush());
        assertEquals(2, counters.get(NetCounter.DROPPED_FRAMES));
        middle(2, 256);
        assertTrue(sink.flush());
        assertEquals(1, counters.get(NetCounter.SENT_FRAMES));
    }

    private EpollPacketSink newSink() {
        return new EpollPacketSink(port, counters, new Warnings(warnings::add));
    }

    private void middle(int psn, int payloadBytes) {
        Frames.send(sink, FLOW, Opcode.RC_SEND_MIDDLE, 17, psn, payloadBytes, random);
    }

    private List<Integer> identifications(RecordingPort.Sent batch) {
        List<Integer> found = new ArrayList<>();
        for (int offset = 0; offset < batch.lengthBytes(); offset += batch.segmentBytes()) {
            int lengthBytes = Math.min(batch.segmentBytes(), batch.lengthBytes() - offset);
            found.add(icrc.recoverIpId(batch.bytes(), offset, lengthBytes, batch.flow().icrcSeed()));
        }
        return found;
    }
}
