package com.ibm.disni.util;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/** Replaces the class of DiSNI, which needs {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED} since Java 16. */
public class MemoryUtils {
    /**
     * Returns the address of a buffer's index 0.
     *
     * @param buffer direct.
     * @throws ClassCastException for a heap buffer, as in DiSNI.
     */
    public static long getAddress(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new ClassCastException("a buffer on the heap has no address: use ByteBuffer.allocateDirect");
        }
        return BufferUtil.address(buffer);
    }
}
