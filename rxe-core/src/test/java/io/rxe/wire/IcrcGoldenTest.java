package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.RoceFrame;
import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The ICRC of every captured frame, and of every captured frame with one bit flipped. */
class IcrcGoldenTest {
    private static final String SPOILED = "cases/22e_badicrc#1";

    private final Icrc icrc = new Icrc();

    @Test
    void bothMethodsVerifyEveryIcrcAndRecoverTheIdentification() {
        int ipv4 = 0;
        int ipv6 = 0;
        for (GoldenFrame frame : GoldenCaptures.all()) {
            if (name(frame).equals(SPOILED)) {
                continue;
            }
            assertTrue(frame.roce().isIcrcGood(), frame.toString());
            assertTrue(isGoodFast(frame), frame.toString());
            if (frame.roce().isIpv4()) {
                ipv4++;
            } else {
                ipv6++;
            }
            int covered = frame.length() - Icrc.LENGTH;
            int computed = icrc.compute(frame.buffer(), frame.offset(), covered, frame.roce().seed(), frame.roce().isIpv4(),
                frame.roce().ipId());
            assertEquals(Icrc.read(frame.buffer(), frame.offset() + covered), computed, frame.toString());
        }
        assertEquals(7063, ipv4);
        assertEquals(62, ipv6);
    }

    @Test
    void bothMethodsRejectTheFrameCorruptedOnPurpose() {
        GoldenFrame frame = GoldenCaptures.open("cases/22e_badicrc").get(0);
        assertEquals(SPOILED, name(frame));
        assertFalse(frame.roce().isIcrcGood());
        assertEquals(-1, icrc.recoverIpId(frame.buffer(), frame.offset(), frame.length(), frame.roce().seed()));
    }

    @Test
    void aWrongUdpChecksumDoesNotAffectTheIcrc() {
        GoldenFrame frame = GoldenCaptures.open("cases/22h_udpcsum_bad").get(0);
        assertNotEquals(0, frame.roce().udpChecksum());
        assertTrue(frame.roce().isIcrcGood());
    }

    @Test
    void congestionAndReservedBitsOfTheCaptureAreMasked() {
        GoldenFrame frame = GoldenCaptures.open("cases/22i_fecn_becn_resv_tos").get(0);
        assertTrue(Bth.isFecn(frame.buffer(), frame.offset()) && Bth.isBecn(frame.buffer(), frame.offset()));
        assertTrue(isGoodFast(frame));
    }

    @Test
    void everyBitFlippedInTransportHeadersOrIcrcIsDetected() {
        for (GoldenFrame frame : good()) {
            int headers = frame.opcode() == null ? Bth.LENGTH : frame.opcode().headerLength();
            for (int bit = 0; bit < 8 * headers; bit++) {
                boolean masked = bit / 8 == 4;
                assertEquals(masked, survivesFast(frame, frame.offset(), bit), frame + " bit " + bit);
            }
            for (int bit = 8 * (frame.length() - Icrc.LENGTH); bit < 8 * frame.length(); bit++) {
                assertFalse(survivesFast(frame, frame.offset(), bit), frame + " bit " + bit);
            }
        }
    }

    @Test
    void everyBitFlippedInOneFrameOfEachKindAndLengthIsDetected() {
        for (GoldenFrame frame : oneOfEachKindAndLength()) {
            for (int bit = 8 * Bth.LENGTH; bit < 8 * frame.length(); bit++) {
                assertFalse(survivesFast(frame, frame.offset(), bit), frame + " bit " + bit);
            }
        }
    }

    @Test
    void theReferenceDetectsEveryCoveredBitAndNoMaskedOne() {
        for (GoldenFrame frame : oneOfEachKindAndLength()) {
            RoceFrame roce = frame.roce();
            int headerBits = 8 * (frame.offset() + Bth.LENGTH - roce.ipOffset());
            for (int bit = 0; bit < headerBits; bit++) {
                if (!decidesTheShape(roce, bit)) {
                    assertEquals(isMasked(roce, bit), survivesReference(frame, bit), frame + " bit " + bit + " of the IP header");
                }
            }
            for (int bit = headerBits; bit < 8 * (frame.offset() + frame.length() - roce.ipOffset()); bit += 7) {
                assertFalse(survivesReference(frame, bit), frame + " bit " + bit + " from the IP header");
            }
        }
    }

    @Test
    void bitsFlippedInAddressesAndPortsAreDetectedThroughTheSeed() {
        for (GoldenFrame frame : good()) {
            RoceFrame roce = frame.roce();
            int firstAddress = 8 * (roce.isIpv4() ? 12 : 8);
            int lastPort = 8 * (roce.payloadOffset() - 8 - roce.ipOffset() + 4);
            for (int bit = firstAddress; bit < lastPort; bit += 3) {
                assertFalse(survivesSeed(frame, bit), frame + " bit " + bit + " of the IP header");
            }
        }
    }

    private boolean survivesFast(GoldenFrame frame, int from, int bit) {
        flip(frame, from, bit);
        boolean good = isGoodFast(frame);
        flip(frame, from, bit);
        return good;
    }

    private boolean survivesReference(GoldenFrame frame, int bit) {
        int icrcOffset = frame.offset() + frame.length() - Icrc.LENGTH;
        int ipOffset = frame.roce().ipOffset();
        flip(frame, ipOffset, bit);
        boolean good = Icrc.read(frame.buffer(), icrcOffset) == Icrc.reference(frame.buffer(), ipOffset, icrcOffset - ipOffset);
        flip(frame, ipOffset, bit);
        return good;
    }

    private boolean survivesSeed(GoldenFrame frame, int bit) {
        RoceFrame roce = frame.roce();
        flip(frame, roce.ipOffset(), bit);
        int seed = Icrc.seed(roce.source(), roce.destination(), roce.sourcePort(), roce.destinationPort());
        flip(frame, roce.ipOffset(), bit);
        return isGood(frame, seed);
    }

    private boolean isGoodFast(GoldenFrame frame) {
        return isGood(frame, frame.roce().seed());
    }

    private boolean isGood(GoldenFrame frame, int seed) {
        if (frame.roce().isIpv4()) {
            int ipId = icrc.recoverIpId(frame.buffer(), frame.offset(), frame.length(), seed);
            // Recovering an identification other than the sender's would also be an undetected corruption.
            assertTrue(ipId == -1 || ipId == frame.roce().ipId(), frame + " recovered " + ipId);
            return ipId != -1;
        }
        return icrc.isValidIpv6(frame.buffer(), frame.offset(), frame.length(), seed);
    }

    /** Fields that the ICRC replaces by ones; bits from the start of the IP header. */
    private static boolean isMasked(RoceFrame roce, int bit) {
        int index = bit / 8;
        int udp = roce.payloadOffset() - 8 - roce.ipOffset();
        if (index == udp + 6 || index == udp + 7 || index == udp + 8 + 4) {
            return true;
        }
        return roce.isIpv4() ? index == 1 || index == 8 || index == 10 || index == 11 : bit >= 4 && index < 4 || index == 7;
    }

    /** Version and IPv4 header length: flipping them gives a packet of another format, not a corrupt packet of this one. */
    private static boolean decidesTheShape(RoceFrame roce, int bit) {
        return bit < (roce.isIpv4() ? 8 : 4);
    }

    private static void flip(GoldenFrame frame, int from, int bit) {
        UnsafeBuffer buffer = (UnsafeBuffer) frame.buffer();
        int index = from + bit / 8;
        buffer.putByte(index, (byte) (buffer.getByte(index) ^ 0x80 >> bit % 8));
    }

    private static List<GoldenFrame> good() {
        return GoldenCaptures.all().stream().filter(frame -> !name(frame).equals(SPOILED)).toList();
    }

    private static List<GoldenFrame> oneOfEachKindAndLength() {
        Set<String> seen = new HashSet<>();
        List<GoldenFrame> frames = new ArrayList<>();
        for (GoldenFrame frame : good()) {
            if (seen.add(Bth.opcode(frame.buffer(), frame.offset()) + "/" + frame.length() + "/" + frame.roce().isIpv4())) {
                frames.add(frame);
            }
        }
        return frames;
    }

    private static String name(GoldenFrame frame) {
        return frame.capture() + "#" + frame.number();
    }
}
