package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Transport;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class GroSplitterTest {
    private static final Flow FOUR = Frames.flow("10.0.0.1", 4791, "10.0.0.2", 4791);
    private static final Flow SIX = Frames.flow("fd00::1", 4791, "fd00::2", 4791);
    private static final List<Opcode> ENABLED = Arrays.stream(Opcode.values()).filter(Opcode::isEnabled).toList();

    private final GroSplitter splitter = new GroSplitter();
    private final Icrc icrc = new Icrc();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);

    @Test
    void randomBatchesOfRealFramesAreCutAtTheirFrames() {
        Random random = new Random(20260521);
        Peer four = new Peer(FOUR);
        Peer six = new Peer(SIX);
        for (int round = 0; round < 20_000; round++) {
            Peer peer = random.nextBoolean() ? four : six;
            Opcode opcode = ENABLED.get(random.nextInt(ENABLED.size()));
            int payload = payloadBytes(opcode, random);
            int segment = Frames.lengthBytes(opcode, payload);
            int frames = 1 + random.nextInt(Math.min(64, 65507 / segment));
            boolean oneQueuePair = random.nextBoolean();
            int total = batch(peer.flow, opcode, payload, frames, oneQueuePair, random);
            assertEquals(frames == 1 ? total : segment, splitter.segmentBytes(buffer, 0, total, peer),
                () -> "a batch of " + frames + " x " + opcode + " with " + payload + " bytes, one queue pair: " + oneQueuePair);
        }
    }

    @Test
    void singleFramesOfAPeerThatCountsItsIdentificationsStayWhole() {
        Random random = new Random(7);
        Peer peer = new Peer(FOUR);
        for (int round = 0; round < 5_000; round++) {
            Opcode opcode = ENABLED.get(random.nextInt(ENABLED.size()));
            int payload = payloadBytes(opcode, random);
            int total = Frames.lengthBytes(opcode, payload);
            Frames.write(buffer, 0, opcode, 17, random.nextInt(1 << 24), payload, random);
            seal(FOUR, 0, total, random.nextInt(4) == 0 ? random.nextInt(1 << 16) : round & 0xFFFF);
            assertEquals(total, splitter.segmentBytes(buffer, 0, total, peer), opcode + " with " + payload + " bytes");
        }
    }

    @Test
    void aBatchWithAShorterLastFrameIsCut() {
        Random random = new Random(3);
        Peer peer = new Peer(FOUR);
        Frames.write(buffer, 0, Opcode.RC_SEND_FIRST, 17, 0xFFFFFF, 1024, random);
        seal(FOUR, 0, 1040, 0);
        Frames.write(buffer, 1040, Opcode.RC_SEND_LAST, 17, 0, 5, random);
        seal(FOUR, 1040, 24, 1);
        assertEquals(1040, splitter.segmentBytes(buffer, 0, 1064, peer));
    }

    @Test
    void payloadThatLooksLikeAHeaderDoesNotCutAFrame() {
        Random random = new Random(4);
        Peer peer = new Peer(FOUR);
        int total = Frames.lengthBytes(Opcode.RC_SEND_ONLY, 4096);
        Frames.write(buffer, 0, Opcode.RC_SEND_ONLY, 17, 5, 4096, random);
        for (int offset = 16; offset + 16 < total; offset += 16) {
            Bth.write(buffer, offset, Opcode.RC_SEND_ONLY, false, 0, 18, false, offset);
        }
        seal(FOUR, 0, total, 12345);
        assertEquals(total, splitter.segmentBytes(buffer, 0, total, peer));
    }

    @Test
    void aCorruptFrameInTheBatchDoesNotSpoilTheOthers() {
        Random random = new Random(5);
        Peer peer = new Peer(SIX);
        int total = batch(SIX, Opcode.RC_SEND_MIDDLE, 1024, 10, true, random);
        buffer.putByte(500, (byte) (buffer.getByte(500) ^ 1));
        assertEquals(1040, splitter.segmentBytes(buffer, 0, total, peer));
    }

    @Test
    void garbageIsHandedOverWhole() {
        Random random = new Random(6);
        Peer peer = new Peer(FOUR);
        for (int round = 0; round < 2_000; round++) {
            byte[] noise = new byte[random.nextInt(9000)];
            random.nextBytes(noise);
            buffer.putBytes(0, noise);
            assertEquals(noise.length, splitter.segmentBytes(buffer, 0, noise.length, peer));
        }
    }

    @Test
    void aWriteWithAnAbsurdLengthIsHandedOverWhole() {
        Random random = new Random(8);
        Peer peer = new Peer(FOUR);
        Frames.write(buffer, 0, Opcode.RC_RDMA_WRITE_ONLY, 17, 5, 4096, random);
        Reth.write(buffer, 12, 0, 0, 0xFFFF_FFFFL);
        assertEquals(4128, splitter.segmentBytes(buffer, 0, 4128, peer));
    }

    @Test
    void everyEnabledOpcodeTakesPart() {
        assertTrue(ENABLED.stream().map(Opcode::transport).distinct().count() == Transport.values().length);
    }

    private static int payloadBytes(Opcode opcode, Random random) {
        if (!opcode.hasPayload()) {
            return 0;
        }
        if (opcode.isFirst() || opcode.isMiddle()) {
            return 256 << random.nextInt(5);
        }
        return random.nextInt(4) == 0 ? random.nextInt(4097) : random.nextInt(128);
    }

    /** Frames of one length, the last perhaps shorter; answers the number of bytes. */
    private int batch(Flow flow, Opcode opcode, int payload, int frames, boolean oneQueuePair, Random random) {
        int psn = random.nextInt(1 << 24);
        int offset = 0;
        for (int frame = 0; frame < frames; frame++) {
            boolean shorter = frame > 0 && frame == frames - 1 && payload > 4 && random.nextBoolean();
            Opcode own = shorter ? Opcode.RC_SEND_LAST : opcode;
            int ownPayload = shorter ? random.nextInt(payload) : payload;
            if (shorter && Frames.lengthBytes(own, ownPayload) > Frames.lengthBytes(opcode, payload)) {
                break;
            }
            Frames.write(buffer, offset, own, oneQueuePair ? 17 : 2 + random.nextInt(1000), psn, ownPayload, random);
            psn = oneQueuePair ? psn + 1 & 0xFFFFFF : random.nextInt(1 << 24);
            int lengthBytes = Frames.lengthBytes(own, ownPayload);
            seal(flow, offset, lengthBytes, frame);
            offset += lengthBytes;
        }
        return offset;
    }

    private void seal(Flow flow, int offset, int lengthBytes, int identification) {
        Icrc.write(buffer, offset + lengthBytes - 4,
            icrc.compute(buffer, offset, lengthBytes - 4, flow.icrcSeed(), flow.isIpv4(), identification));
    }
}
