package io.rxe.wire;

import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;

/** Bytes written as hex digits. */
final class Hex {
    private Hex() {
    }

    static byte[] bytes(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    static UnsafeBuffer buffer(String digits) {
        return new UnsafeBuffer(bytes(digits));
    }
}
