package io.rxe.cm.mad;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.wire.Gid;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("M1 LAP and APR have the layout of IBTA chapter 12: every byte is written out here")
class PathMadTest {
    /** Base version 1, class 7, class version 2, method Send, attribute, transaction 0x1122334455667788. */
    private static final String HEADER = "0107020300000000" + "1122334455667788" + "%s0000" + "00000000";

    private final UnsafeBuffer mad = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);

    private static byte[] padded(String hex) {
        byte[] bytes = new byte[MadHeader.MAD_LENGTH];
        byte[] begin = HexFormat.of().parseHex(hex);
        System.arraycopy(begin, 0, bytes, 0, begin.length);
        return bytes;
    }

    @Test
    void loadAlternatePath() {
        MadHeader.write(mad, 0, CmAttribute.LAP, 0x1122334455667788L);
        CommunicationIds.write(mad, 0, 0xA1A2A3A4, 0xB1B2B3B4);
        CmLap.writeFixed(mad, 0);
        CmLap.REMOTE_QPN.set(mad, 0, 0xC1C2C3);
        CmLap.REMOTE_CM_RESPONSE_TIMEOUT.set(mad, 0, 20);
        CmLap.LOCAL_GID.set(mad, 0, Gid.parse("10.1.0.1"));
        CmLap.REMOTE_GID.set(mad, 0, Gid.parse("fd00::2"));
        CmLap.LOCAL_ACK_TIMEOUT.set(mad, 0, 14);
        assertArrayEquals(padded(HEADER.formatted("0019")
            + "a1a2a3a4" + "b1b2b3b4" + "00000000" + "c1c2c3a0" + "00000000" + "ffffffff"
            + "00000000000000000000ffff0a010001" + "fd000000000000000000000000000002"
            + "00000000" + "40000070"), mad.byteArray());
        assertEquals(0xC1C2C3, CmLap.REMOTE_QPN.get(mad, 0));
        assertEquals(20, CmLap.REMOTE_CM_RESPONSE_TIMEOUT.get(mad, 0));
        assertEquals(Gid.parse("10.1.0.1"), CmLap.LOCAL_GID.get(mad, 0));
        assertEquals(Gid.parse("fd00::2"), CmLap.REMOTE_GID.get(mad, 0));
        assertEquals(14, CmLap.LOCAL_ACK_TIMEOUT.get(mad, 0));
        assertEquals(CmLap.PRIVATE_DATA.length(), CmLap.PRIVATE_DATA.get(mad, 0).length);
    }

    @Test
    void alternatePathResponse() {
        MadHeader.write(mad, 0, CmAttribute.APR, 0x1122334455667788L);
        CommunicationIds.write(mad, 0, 0xA1A2A3A4, 0xB1B2B3B4);
        CmApr.STATUS.set(mad, 0, AlternatePathStatus.INVALID_GID.code());
        assertArrayEquals(padded(HEADER.formatted("001a") + "a1a2a3a4" + "b1b2b3b4" + "00080000"), mad.byteArray());
        assertEquals(8, CmApr.STATUS.get(mad, 0));
        assertEquals(CmApr.PRIVATE_DATA.length(), CmApr.PRIVATE_DATA.get(mad, 0).length);
    }

    @Test
    void everyStatusHasItsCode() {
        assertEquals(AlternatePathStatus.CURRENT, AlternatePathStatus.of(5));
        assertEquals(13, AlternatePathStatus.INVALID_SERVICE_LEVEL.code());
        assertEquals(AlternatePathStatus.UNKNOWN, AlternatePathStatus.of(14));
        assertEquals(AlternatePathStatus.UNKNOWN, AlternatePathStatus.of(255));
    }
}
