package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.FuzzInput;
import io.rxe.fuzz.FuzzTarget;
import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.net.Frames;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Datagrams for the splitter, one after the other from one peer. The cut must lie inside the datagram, and a frame that is good as a whole
 * stays whole.
 *
 * <pre>
 *   how, length (2), bytes    how: 0x01 over IPv6, 0x02 the ICRC of the whole is made right, 0x04 the datagram before is put in front,
 *                             0x08 FIRST and MIDDLE are shortened to a path MTU
 * </pre>
 */
final class GroSplitterFuzz implements FuzzTarget {
    private static final int OVER_IPV6 = 0x01;
    private static final int SEAL = 0x02;
    private static final int APPEND = 0x04;
    private static final int FULL_MTU = 0x08;
    private static final int SMALLEST_MTU = 256;
    private static final int LARGEST_MTU = 4096;
    private static final int LONGEST = 65_507;
    private static final int MAX_STEPS = 32;
    private static final Flow FOUR = Frames.flow("10.0.0.1", 4791, "10.0.0.2", 4791);
    private static final Flow SIX = Frames.flow("fd00::1", 4791, "fd00::2", 4791);

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);
    private final Icrc icrc = new Icrc();

    @Override
    public void run(byte[] bytes) {
        GroSplitter splitter = new GroSplitter();
        Peer four = new Peer(FOUR);
        Peer six = new Peer(SIX);
        FuzzInput input = new FuzzInput(bytes);
        int total = 0;
        for (int step = 0; input.hasMore() && step < MAX_STEPS; step++) {
            int how = input.next();
            byte[] datagram = input.take(input.nextShort());
            int offset = (how & APPEND) != 0 && total + datagram.length <= LONGEST ? total : 0;
            buffer.putBytes(offset, datagram);
            total = offset + datagram.length;
            if ((how & FULL_MTU) != 0) {
                total = toFullMtu(total);
            }
            Peer peer = (how & OVER_IPV6) != 0 ? six : four;
            boolean isOne = (how & SEAL) != 0 && isFrame(total);
            if (isOne) {
                // Identification 0: what an unconnected socket sends, so the splitter can be certain.
                Icrc.write(buffer, total - Icrc.LENGTH,
                    icrc.compute(buffer, 0, total - Icrc.LENGTH, peer.flow.icrcSeed(), peer.flow.isIpv4(), 0));
            }
            int segment = splitter.segmentBytes(buffer, 0, total, peer);
            assertTrue(segment == total || segment >= HeaderValidator.MIN_LENGTH && segment < total,
                "a segment of " + segment + " of " + total);
            if (isOne) {
                assertEquals(total, segment, "a good frame was cut");
            }
        }
    }

    /** The length with the longest path MTU of payload that fits. */
    private int toFullMtu(int lengthBytes) {
        Opcode opcode = lengthBytes < HeaderValidator.MIN_LENGTH ? null : Opcode.of(Bth.opcode(buffer, 0));
        if (opcode == null || !opcode.isFirst() && !opcode.isMiddle()) {
            return lengthBytes;
        }
        int overhead = opcode.headerLength() + Icrc.LENGTH;
        int payload = Integer.highestOneBit(Math.max(0, lengthBytes - overhead));
        return payload < SMALLEST_MTU ? lengthBytes : overhead + Math.min(LARGEST_MTU, payload);
    }

    /** A frame that a peer sends: FIRST and MIDDLE carry a path MTU, WRITE ONLY what its RETH says, others without payload none. */
    private boolean isFrame(int lengthBytes) {
        if (HeaderValidator.check(buffer, 0, lengthBytes) != DropReason.NONE || Bth.transportVersion(buffer, 0) != 0) {
            return false;
        }
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        int payload = HeaderValidator.payloadLength(buffer, 0, lengthBytes, opcode);
        if (opcode.isFirst() || opcode.isMiddle()) {
            return payload >= SMALLEST_MTU && payload <= LARGEST_MTU && Integer.bitCount(payload) == 1;
        }
        if (opcode.isWrite() && opcode.isOnly() && Reth.dmaLength(buffer, opcode.rethOffset()) != payload) {
            return false;
        }
        return payload <= LARGEST_MTU && (opcode.hasPayload() || payload == 0);
    }

    /** Of each capture single frames, and a batch of those of one length. */
    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (String name : GoldenCaptures.names()) {
            FuzzInput.Writer seed = new FuzzInput.Writer();
            int before = 0;
            for (GoldenFrame frame : GoldenCaptures.open(name).stream().limit(8).toList()) {
                byte[] packet = frame.packet();
                seed.add(packet.length == before ? APPEND : SEAL).addShort(packet.length).addBytes(packet);
                before = packet.length;
            }
            seeds.add(seed.toBytes());
        }
        return seeds;
    }
}
