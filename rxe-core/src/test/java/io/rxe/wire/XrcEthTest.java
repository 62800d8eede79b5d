package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class XrcEthTest {
    @Test
    void theNumberIsInTheLow24Bits() {
        byte[] bytes = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55};
        XrcEth.write(new UnsafeBuffer(bytes), 1, 0xFF_ABCDEF);
        assertArrayEquals(new byte[] {0x55, 0, (byte) 0xAB, (byte) 0xCD, (byte) 0xEF, 0x55}, bytes);
        assertEquals(0xABCDEF, XrcEth.queueNumber(new UnsafeBuffer(bytes), 1));
    }

    @Test
    void theReservedByteIsIgnored() {
        assertEquals(0x000001, XrcEth.queueNumber(new UnsafeBuffer(new byte[] {(byte) 0xFF, 0, 0, 1}), 0));
        assertEquals(0xFFFFFF, XrcEth.queueNumber(new UnsafeBuffer(new byte[] {0, -1, -1, -1}), 0));
    }
}
