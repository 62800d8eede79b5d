package io.rxe.connect;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What this package puts in front of the application's private data, in the request and in the answer.
 *
 * <pre>
 *   0  "rxc2"            protocol and version
 *   4  messageBytes      4 bytes: longest message its sender can receive
 *   8  receiveDepth      2 bytes: receives it has posted for messages
 *   10 length            2 bytes: private data of the application, which follows
 * </pre>
 */
record Greeting(int messageBytes, int receiveDepth, byte[] privateData) {
    static final int BYTES = 12;
    private static final int MAGIC = 'r' << 24 | 'x' << 16 | 'c' << 8 | '2';

    byte[] encode() {
        return ByteBuffer.allocate(BYTES + privateData.length).putInt(MAGIC).putInt(messageBytes).putShort((short) receiveDepth)
            .putShort((short) privateData.length).put(privateData).array();
    }

    /** Returns null if the bytes are not of this protocol, or are nonsense. */
    static Greeting decode(byte[] received) {
        if (received.length < BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(received);
        int magic = in.getInt();
        int messageBytes = in.getInt();
        int receiveDepth = in.getShort() & 0xFFFF;
        int length = in.getShort() & 0xFFFF;
        if (magic != MAGIC || messageBytes < 1 || messageBytes > ConnectOptions.MAX_MESSAGE_BYTES || receiveDepth < 1
            || receiveDepth > ConnectOptions.MAX_DEPTH || length > in.remaining()) {
            return null;
        }
        return new Greeting(messageBytes, receiveDepth, Arrays.copyOfRange(received, BYTES, BYTES + length));
    }
}
