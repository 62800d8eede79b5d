package io.rxe.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.wire.Gid;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class RoceFrameTest {
    private static final GoldenFrame IPV4 = GoldenCaptures.open("rc_pingpong").get(0);
    private static final GoldenFrame IPV6 = GoldenCaptures.open("rc_pingpong_v6").get(0);

    @Test
    void addressesOfACaptureAreThoseOfItsHosts() {
        assertEquals(Gid.parse("10.99.0.3"), IPV4.roce().source());
        assertEquals(Gid.parse("10.99.0.2"), IPV4.roce().destination());
        assertEquals(Gid.parse("fd99::3"), IPV6.roce().source());
        assertEquals(Gid.parse("fd99::2"), IPV6.roce().destination());
        assertEquals(4791, IPV4.roce().destinationPort());
        assertTrue(IPV4.roce().sourcePort() >= 0xC000);
        assertTrue(IPV4.roce().isDontFragment());
        assertEquals(2, IPV4.roce().ipFlags());
        assertEquals(0, IPV6.roce().ipFlags());
        assertEquals(-1, IPV6.roce().ipId());
        assertEquals(-1, IPV4.roce().vlanId());
        assertEquals(0, IPV4.roce().udpChecksum());
        assertEquals(IPV4.offset(), IPV4.roce().payloadOffset());
    }

    @Test
    void everyLinkTypeGivesTheSamePacket() {
        for (GoldenFrame frame : new GoldenFrame[] {IPV4, IPV6}) {
            boolean ipv4 = frame.roce().isIpv4();
            String type = ipv4 ? "0800" : "86dd";
            byte[] ip = Arrays.copyOfRange(frame.record().bytes(), 14, frame.record().bytes().length);
            assertSamePacket(frame, LinkType.RAW_IP, "", ip, -1);
            assertSamePacket(frame, ipv4 ? LinkType.IPV4 : LinkType.IPV6, "", ip, -1);
            assertSamePacket(frame, LinkType.ETHERNET, "020000000001020000000002" + type, ip, -1);
            assertSamePacket(frame, LinkType.ETHERNET, "020000000001020000000002" + "8100a064" + type, ip, 100);
            assertSamePacket(frame, LinkType.ETHERNET, "020000000001020000000002" + "88a8000a" + "81000fff" + type, ip, 4095);
            assertSamePacket(frame, LinkType.LINUX_SLL, "0000" + "0001" + "0006" + "0200000000010000" + type, ip, -1);
            assertSamePacket(frame, LinkType.LINUX_SLL2,
                type + "0000" + "00000002" + "0001" + "00" + "06" + "0200000000010000", ip, -1);
        }
    }

    @Test
    void paddingBehindTheDatagramIsNotPartOfThePacket() {
        byte[] padded = Arrays.copyOf(IPV4.record().bytes(), IPV4.record().bytes().length + 13);
        RoceFrame frame = decode(padded, LinkType.ETHERNET);
        assertEquals(IPV4.length(), frame.payloadLength());
        assertFalse(frame.isTruncated());
        assertTrue(frame.isIcrcGood());
    }

    @Test
    void aTruncatedFrameHasNoGoodIcrc() {
        byte[] bytes = IPV4.record().bytes();
        RoceFrame frame = decode(Arrays.copyOf(bytes, bytes.length - 1), LinkType.ETHERNET);
        assertTrue(frame.isTruncated());
        assertEquals(IPV4.length() - 1, frame.payloadLength());
        assertFalse(frame.isIcrcGood());
    }

    @Test
    void otherTrafficIsNotRoce() {
        int ip = IPV4.roce().ipOffset();
        int udp = IPV4.roce().payloadOffset() - 8;
        assertNotRoce(udp + 3, 0xB6);
        assertNotRoce(ip + 9, 6);
        assertNotRoce(ip, 0x55);
        assertNotRoce(ip, 0x44);
        assertNotRoce(ip + 6, 0x20);
        assertNotRoce(ip + 7, 0x01);
        assertNotRoce(ip - 1, 0x06);
        assertNotRoce(udp + 4, 0xFF);
        assertFalse(isRoce(new RoceFrame(), IPV4.record().bytes(), 147));
        assertFalse(LinkType.isKnown(147));
        assertTrue(LinkType.isKnown(LinkType.LINUX_SLL2));
    }

    @Test
    void anotherPortIsRoceOnlyWhenConfigured() {
        byte[] bytes = IPV4.record().bytes().clone();
        bytes[IPV4.roce().payloadOffset() - 8 + 3] = (byte) 0xB6;
        RoceFrame usual = new RoceFrame();
        assertFalse(isRoce(usual, bytes, LinkType.ETHERNET));
        assertTrue(usual.isUdp());
        assertEquals(4790, usual.destinationPort());
        RoceFrame told = new RoceFrame(Set.of(4790));
        assertTrue(isRoce(told, bytes, LinkType.ETHERNET));
        assertEquals(IPV4.length(), told.payloadLength());
        assertFalse(isRoce(told, IPV4.record().bytes(), LinkType.ETHERNET));
    }

    @Test
    void noContentMakesItThrow() {
        Random random = new Random(11);
        int[] linkTypes = {LinkType.ETHERNET, LinkType.RAW_IP, LinkType.IPV4, LinkType.IPV6, LinkType.LINUX_SLL,
            LinkType.LINUX_SLL2, 0};
        int roce = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = Arrays.copyOf((i % 2 == 0 ? IPV4 : IPV6).record().bytes(), random.nextInt(90));
            for (int change = random.nextInt(3); change > 0 && bytes.length > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            RoceFrame frame = new RoceFrame();
            if (isRoce(frame, bytes, linkTypes[random.nextInt(linkTypes.length)])) {
                roce++;
                frame.buffer().boundsCheck(frame.payloadOffset(), frame.payloadLength());
                frame.isIcrcGood();
            }
        }
        assertTrue(roce > 1000, roce + " frames were still RoCE");
    }

    @Test
    void aWriterNeedsOneAddressFamily() {
        String message = assertThrows(IllegalArgumentException.class,
            () -> new RoceFrameWriter(Gid.parse("10.0.0.1"), Gid.parse("fd99::2"), 1, 4791)).getMessage();
        assertTrue(message.contains("fd99::2"), message);
    }

    private static void assertNotRoce(int index, int value) {
        byte[] bytes = IPV4.record().bytes().clone();
        bytes[index] = (byte) value;
        assertFalse(isRoce(new RoceFrame(), bytes, LinkType.ETHERNET), "byte " + index + " = " + value);
    }

    private static void assertSamePacket(GoldenFrame expected, int linkType, String linkHeader, byte[] ip, int vlanId) {
        byte[] header = HexFormat.of().parseHex(linkHeader);
        byte[] bytes = Arrays.copyOf(header, header.length + ip.length);
        System.arraycopy(ip, 0, bytes, header.length, ip.length);
        RoceFrame frame = decode(bytes, linkType);
        assertTrue(frame.isIcrcGood());
        assertEquals(vlanId, frame.vlanId());
        assertEquals(expected.roce().source(), frame.source());
        assertEquals(expected.length(), frame.payloadLength());
        assertEquals(new UnsafeBuffer(expected.packet()), new UnsafeBuffer(frame.buffer(), frame.payloadOffset(),
            frame.payloadLength()));
    }

    private static RoceFrame decode(byte[] bytes, int linkType) {
        RoceFrame frame = new RoceFrame();
        assertTrue(isRoce(frame, bytes, linkType), "link type " + linkType);
        return frame;
    }

    private static boolean isRoce(RoceFrame frame, byte[] bytes, int linkType) {
        return frame.decode(new UnsafeBuffer(bytes), 0, bytes.length, linkType);
    }
}
