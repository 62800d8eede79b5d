package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.Frames;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.GapReport;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Transport;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class GroSplitterTest {
    private static final Flow FOUR = Frames.flow("10.0.0.1", 4791, "10.0.0.2", 4791);
    private static final Flow SIX = Frames.flow("fd00::1", 4791, "fd00::2", 4791);
    private static final List<Opcode> OPCODES = List.of(Opcode.values());

    private final GroSplitter splitter = new GroSplitter();
    private final Icrc icrc = new Icrc();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);

    @Test
    void randomBatchesOfRealFramesAreCutAtTheirFrames() {
        Random random = new Random(20260521);
        Peer four = new Peer(FOUR);
        Peer six = new Peer(SIX);
        for (int iteration = 0; iteration < 20_000; iteration++) {
            Peer peer = random.nextBoolean() ? four : six;
            Opcode opcode = OPCODES.get(random.nextInt(OPCODES.size()));
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
        for (int iteration = 0; iteration < 5_000; iteration++) {
            Opcode opcode = OPCODES.get(random.nextInt(OPCODES.size()));
            int payload = payloadBytes(opcode, random);
            int total = Frames.lengthBytes(opcode, payload);
            Frames.write(buffer, 0, opcode, 17, random.nextInt(1 << 24), payload, random);
            seal(FOUR, 0, total, random.nextInt(4) == 0 ? random.nextInt(1 << 16) : iteration & 0xFFFF);
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

    /** Else each batch of READ responses would cost ICRCs. */
    @Test
    void aBatchOfOneQueuePairNeedsNoIcrcAlthoughSomeFramesTellWhenTheyLeave() {
        Random random = new Random(4);
        int segment = Frames.lengthBytes(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 1024);
        for (int frame = 0; frame < 16; frame++) {
            Frames.write(buffer, frame * segment, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 17, frame, 1024, random);
            if (frame % 4 == 1) {
                Bth.sendTime(buffer, frame * segment, 1023);
            }
            seal(FOUR, frame * segment, segment, frame);
        }
        assertEquals(segment, splitter.segmentBytes(buffer, 0, 16 * segment, new Peer(FOUR)));
        assertEquals(GroSplitter.MAX_ICRCS_UNVERIFIED, splitter.icrcsLeft());
    }

    @Test
    void acknowledgementsWithGapReportsAreCut() {
        Random random = new Random(15);
        Peer peer = new Peer(FOUR);
        for (int iteration = 0; iteration < 5_000; iteration++) {
            int gaps = random.nextInt(GapReport.MAX_GAPS + 1);
            int frames = 1 + random.nextInt(20);
            int total = 0;
            for (int frame = 0; frame < frames; frame++) {
                boolean isShorter = frame == frames - 1 && frame > 0 && random.nextBoolean();
                total += report(total, isShorter ? random.nextInt(gaps + 1) - 1 : gaps, frame, random);
            }
            int segment = Frames.lengthBytes(Opcode.RC_ACKNOWLEDGE, GapReport.lengthBytes(gaps));
            assertEquals(frames == 1 ? total : segment, splitter.segmentBytes(buffer, 0, total, peer), frames + " reports of " + gaps);
        }
    }

    /** Writes an acknowledgement with a report, or with a negative number of gaps without one; returns its length. */
    private int report(int offset, int gaps, int identification, Random random) {
        int reportBytes = gaps < 0 ? 0 : GapReport.lengthBytes(gaps);
        int lengthBytes = Frames.lengthBytes(Opcode.RC_ACKNOWLEDGE, reportBytes);
        Frames.write(buffer, offset, Opcode.RC_ACKNOWLEDGE, 2 + random.nextInt(1000), random.nextInt(1 << 24), reportBytes, random);
        int psn = random.nextInt(1 << 24);
        for (int gap = 0; gap < gaps; gap++) {
            GapReport.writeGap(buffer, offset + 16, gap, psn + 100 * gap, 1 + random.nextInt(99));
        }
        if (gaps >= 0) {
            GapReport.write(buffer, offset + 16, gaps, psn + 100 * gaps, random.nextInt(), random.nextInt(1 << 16));
        }
        seal(FOUR, offset, lengthBytes, identification);
        return lengthBytes;
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
    void aCorruptFrameInTheBatchDoesNotAffectTheOthers() {
        Random random = new Random(5);
        Peer peer = new Peer(SIX);
        int total = batch(SIX, Opcode.RC_SEND_MIDDLE, 1024, 10, true, random);
        buffer.putByte(500, (byte) (buffer.getByte(500) ^ 1));
        assertEquals(1040, splitter.segmentBytes(buffer, 0, total, peer));
    }

    @Test
    void garbageIsDeliveredWhole() {
        Random random = new Random(6);
        Peer peer = new Peer(FOUR);
        for (int iteration = 0; iteration < 2_000; iteration++) {
            byte[] noise = new byte[random.nextInt(9000)];
            random.nextBytes(noise);
            buffer.putBytes(0, noise);
            assertEquals(noise.length, splitter.segmentBytes(buffer, 0, noise.length, peer));
        }
    }

    @Test
    void aWriteWithAnImpossibleLengthIsDeliveredWhole() {
        Random random = new Random(8);
        Peer peer = new Peer(FOUR);
        Frames.write(buffer, 0, Opcode.RC_RDMA_WRITE_ONLY, 17, 5, 4096, random);
        Reth.write(buffer, 12, 0, 0, 0xFFFF_FFFFL);
        assertEquals(4128, splitter.segmentBytes(buffer, 0, 4128, peer));
    }

    @Test
    void theEnabledOpcodesCoverEveryTransport() {
        assertTrue(OPCODES.stream().map(Opcode::transport).distinct().count() == Transport.values().length);
    }

    /** Fills the payload of the frame in the buffer with look-alikes of a header, and random ICRCs in front of them. */
    private void poison(Opcode opcode, int total, Random random) {
        int overhead = opcode.headerLength() + Icrc.LENGTH;
        for (int mtu = 256; mtu < 4096; mtu *= 2) {
            for (int at = overhead + mtu; at + 16 < total; at += overhead + mtu) {
                Bth.write(buffer, at, Opcode.RC_SEND_MIDDLE, false, 0, 18, false, 7);
                buffer.putInt(at - 4, random.nextInt());
            }
        }
    }

    @Test
    void hostilePayloadNeverCutsAFrameThatIsGoodAsAWhole() {
        Random random = new Random(11);
        for (int id = 0; id <= 12345; id += 12345) {
            Peer peer = new Peer(FOUR);
            peer.verified = true;
            Frames.write(buffer, 0, Opcode.RC_RDMA_WRITE_MIDDLE, 17, 5, 4096, random);
            int total = Frames.lengthBytes(Opcode.RC_RDMA_WRITE_MIDDLE, 4096);
            for (int iteration = 0; iteration < 200_000; iteration++) {
                poison(Opcode.RC_RDMA_WRITE_MIDDLE, total, random);
                seal(FOUR, 0, total, id);
                assertEquals(total, splitter.segmentBytes(buffer, 0, total, peer), "iteration " + iteration);
            }
        }
    }

    @Test
    void payloadOfOneWhoKnowsTheNumbersDoesNotCutAFrameEither() {
        Random random = new Random(12);
        Peer peer = new Peer(FOUR);
        int total = Frames.lengthBytes(Opcode.RC_SEND_MIDDLE, 4096);
        Frames.write(buffer, 0, Opcode.RC_SEND_MIDDLE, 17, 5, 4096, random);
        for (int piece = 1; piece * 1040 + 16 < total; piece++) {
            Bth.write(buffer, piece * 1040, Opcode.RC_SEND_MIDDLE, false, 0, 17, false, 5 + piece);
        }
        seal(FOUR, 0, 1040, 0);
        seal(FOUR, 1040, 1040, 1);
        seal(FOUR, 0, total, 0);
        assertEquals(total, splitter.segmentBytes(buffer, 0, total, peer));
    }

    @Test
    void noiseInFrontOfGoodFramesCostsOnlyItself() {
        for (Flow flow : List.of(FOUR, SIX)) {
            for (Opcode opcode : List.of(Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_ONLY)) {
                for (int known = 0; known < 2; known++) {
                    Random random = new Random(13);
                    Peer peer = new Peer(flow);
                    peer.verified = true;
                    int frame = Frames.lengthBytes(opcode, 1024);
                    peer.segmentBytes = known * frame;
                    int total = batch(flow, opcode, 1024, 14, true, random);
                    total -= total % frame;
                    byte[] noise = new byte[frame];
                    random.nextBytes(noise);
                    noise[0] = (byte) 0xFF;
                    buffer.putBytes(frame, buffer.byteArray().clone(), 0, total);
                    buffer.putBytes(0, noise);
                    assertEquals(frame, splitter.segmentBytes(buffer, 0, total + frame, peer), opcode + " " + flow);
                }
            }
        }
    }

    @Test
    void aHostileDatagramCostsABoundedNumberOfIcrcs() {
        Random random = new Random(14);
        for (int frame = 0; frame < 2000; frame++) {
            boolean isVerified = random.nextBoolean();
            Peer peer = new Peer(random.nextBoolean() ? FOUR : SIX);
            peer.verified = isVerified;
            int total = 40 + 4 * random.nextInt(frame % 2 == 0 ? 1023 : 16_000);
            for (int at = 0; at + 12 <= total; at += 4) {
                buffer.putInt(at, random.nextInt());
                if (random.nextInt(3) > 0) {
                    Bth.write(buffer, at, Opcode.RC_SEND_ONLY, false, 0, 18, false, at);
                }
            }
            assertEquals(total, splitter.segmentBytes(buffer, 0, total, peer));
            assertTrue(splitter.icrcsLeft() >= 0, () -> (isVerified ? "" : "un") + "verified");
        }
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

    /** Writes frames of one length, the last perhaps shorter; returns the number of bytes. */
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
