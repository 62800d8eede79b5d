package io.rxe.cm.mad;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("MADs as text: those of two kernel peers, and those no capture has")
class MadPrinterTest {
    private final UnsafeBuffer mad = new UnsafeBuffer(ByteBuffer.allocateDirect(MadHeader.MAD_LENGTH));

    private String printed() {
        return print(mad, MadHeader.MAD_LENGTH);
    }

    private static String print(DirectBuffer buffer, int length) {
        StringBuilder text = new StringBuilder();
        new MadPrinter(text).append(buffer, 0, length, false);
        return text.toString();
    }

    private void write(CmAttribute attribute) {
        MadHeader.write(mad, 0, attribute, 0x77);
        CommunicationIds.write(mad, 0, 0xA1, 0xB2);
    }

    @Test
    void theMessagesOfTheKernelAreOneLineEach() {
        List<String> lines = GoldenMad.all().stream().map(one -> print(one.buffer(), MadHeader.MAD_LENGTH)).toList();
        assertEquals(List.of("CM REQ id 0xb5527338 to TCP port 7174 of 10.99.0.2 from 10.99.0.3 port 55292 RC qpn 0x1f psn 61a1fa mtu 1024"
            + " resources 1 depth 1 timeout 19 retry 7 rnr_retry 7",
            "CM REP id 0xe681b7f8 peer 0xb5527338 qpn 0x1f psn 9281f4 resources 1 depth 1 rnr_retry 7",
            "CM RTU id 0xb5527338 peer 0xe681b7f8",
            "CM DREQ id 0xb5527338 peer 0xe681b7f8 qpn 0x1f",
            "CM DREP id 0xe681b7f8 peer 0xb5527338",
            "CM SIDR_REQ id 0xb4527338 to UDP port 7174 of 10.99.0.2 from 10.99.0.3 port 32830",
            "CM SIDR_REP id 0xb4527338 status 0 (found) qpn 0x20 qkey 0x01234567"), lines);
    }

    @Test
    void verboseAddsWhatSaysLittleAboutTheCourse() {
        StringBuilder text = new StringBuilder();
        new MadPrinter(text).append(GoldenMad.all().get(0).buffer(), 0, MadHeader.MAD_LENGTH, true);
        assertTrue(text.toString().endsWith(" gid 10.99.0.3 remote gid 10.99.0.2 guid 0x505400fffe123403 pkey 0xffff cm timeouts 20 20"
            + " cm retries 15 tid 0x00000002387352b5"), text.toString());
    }

    @Test
    void refusalsHaveTheirReason() {
        write(CmAttribute.REJ);
        CmRej.MESSAGE.set(mad, 0, AnsweredMessage.REQ.code());
        CmRej.REASON.set(mad, 0, 8);
        CmRej.PRIVATE_DATA.set(mad, 0, "go away".getBytes(US_ASCII));
        assertEquals("CM REJ id 0x000000a1 peer 0x000000b2 of REQ reason 8 (invalid service ID) private data 7 bytes"
            + " \"go away\"", printed());
        assertEquals("reason 8 (invalid service ID)", MadPrinter.refusal(mad, 0, MadHeader.MAD_LENGTH));
        CmRej.REASON.set(mad, 0, 4711);
        assertEquals("reason 4711 (a reason this side does not know)", MadPrinter.refusal(mad, 0, MadHeader.MAD_LENGTH));
        write(CmAttribute.SIDR_REP);
        SidrRep.REQUEST_ID.set(mad, 0, 5);
        SidrRep.STATUS.set(mad, 0, 1);
        assertEquals("CM SIDR_REP id 0x00000005 status 1 (nothing serves this service ID)", printed());
        assertEquals("status 1 (nothing serves this service ID)", MadPrinter.refusal(mad, 0, MadHeader.MAD_LENGTH));
        write(CmAttribute.RTU);
        assertEquals("", MadPrinter.refusal(mad, 0, MadHeader.MAD_LENGTH));
    }

    @Test
    void theOtherMessagesAreNamed() {
        write(CmAttribute.MRA);
        CmMra.MESSAGE.set(mad, 0, AnsweredMessage.REP.code());
        CmMra.SERVICE_TIMEOUT.set(mad, 0, 21);
        assertEquals("CM MRA id 0x000000a1 peer 0x000000b2 of REP timeout 21", printed());
        write(CmAttribute.LAP);
        CmLap.writeFixed(mad, 0);
        CmLap.REMOTE_QPN.set(mad, 0, 0x12ab);
        CmLap.LOCAL_GID.set(mad, 0, Gid.parse("10.1.0.1"));
        CmLap.REMOTE_GID.set(mad, 0, Gid.parse("fd00::2"));
        CmLap.LOCAL_ACK_TIMEOUT.set(mad, 0, 14);
        assertEquals("CM LAP id 0x000000a1 peer 0x000000b2 qpn 0x12ab gid 10.1.0.1 remote gid fd00::2 timeout 14", printed());
        write(CmAttribute.APR);
        assertEquals("CM APR id 0x000000a1 peer 0x000000b2 status 0 (loaded)", printed());
        CmApr.STATUS.set(mad, 0, 8);
        assertEquals("CM APR id 0x000000a1 peer 0x000000b2 status 8 (the peer has no port with the GID)", printed());
        mad.putByte(1, (byte) 3);
        assertEquals("MAD of class 0x3 attribute 0x1a", printed());
        write(CmAttribute.REQ);
        assertEquals("CM REQ of 100 bytes, not 256", print(mad, 100));
        assertEquals("MAD of 23 bytes, not 256", print(mad, 23));
    }

    @Test
    void aServiceThatIsNoPortOfRdmaCmKeepsItsWholePrivateData() {
        write(CmAttribute.REQ);
        CmReq.SERVICE_ID.set(mad, 0, 0x1000_0000_0000_0042L);
        CmReq.PRIVATE_DATA.set(mad, 0, new byte[] {1, 2, 3});
        assertTrue(printed().startsWith("CM REQ id 0x000000a1 service 0x1000000000000042 RC qpn 0x0"), printed());
        assertTrue(printed().endsWith(" private data 3 bytes 010203"), printed());
        assertArrayEquals(new byte[] {1, 2, 3}, MadPrinter.privateData(mad, 0));
    }

    @Test
    void privateDataOfRdmaCmBeginsBehindItsHeader() {
        write(CmAttribute.REQ);
        CmReq.SERVICE_ID.set(mad, 0, CmaHeader.serviceId(0x0106, 7471));
        byte[] area = new byte[CmReq.PRIVATE_DATA.length()];
        area[CmaHeader.LENGTH] = 'h';
        area[CmaHeader.LENGTH + 1] = 'i';
        CmReq.PRIVATE_DATA.set(mad, 0, area);
        CmaHeader.write(mad, CmaHeader.REQ_OFFSET, Gid.parse("fd99::3"), Gid.parse("fd99::2"), 1234);
        assertTrue(printed().contains(" to TCP port 7471 of fd99::2 from fd99::3 port 1234 "), printed());
        assertTrue(printed().endsWith(" private data 2 bytes \"hi\""), printed());
    }

    @Test
    void bytesOfThePeerReachTheTerminalAsDigitsOnly() {
        write(CmAttribute.RTU);
        byte[] escape = "\u001b[2Jxxxxxxxxxxxxxxxxxxxx".getBytes(US_ASCII);
        CmRtu.PRIVATE_DATA.set(mad, 0, escape);
        assertTrue(printed().endsWith(" private data 24 bytes 1b5b324a787878787878787878787878..."), printed());
        StringBuilder lines = new StringBuilder();
        new MadPrinter(lines).appendBytes(escape, "  ");
        assertEquals("  0000  1b 5b 32 4a 78 78 78 78 78 78 78 78 78 78 78 78   .[2Jxxxxxxxxxxxx\n"
            + "  0010  78 78 78 78 78 78 78 78                           xxxxxxxx\n", lines.toString());
    }

    @Test
    void anyBytesArePrintedInOneLineOfText() {
        SplittableRandom random = new SplittableRandom(5);
        byte[] bytes = new byte[MadHeader.MAD_LENGTH];
        for (int round = 0; round < 2000; round++) {
            random.nextBytes(bytes);
            mad.putBytes(0, bytes);
            if (round % 2 == 0) {
                mad.putByte(1, (byte) MadHeader.CM_CLASS);
                mad.putShort(16, (short) (0x10 + random.nextInt(11)), ByteOrder.BIG_ENDIAN);
            }
            StringBuilder text = new StringBuilder();
            new MadPrinter(text).append(mad, 0, random.nextInt(MadHeader.MAD_LENGTH + 1), true);
            new MadPrinter(text).append(mad, 0, MadHeader.MAD_LENGTH, true);
            assertTrue(text.chars().allMatch(c -> c >= ' ' && c <= '~'), text.toString());
        }
    }
}
