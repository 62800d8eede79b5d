package io.rxe.tools.rping;

import java.nio.ByteBuffer;

/**
 * The only message of rping: a memory range that the peer may read or write. 16 bytes, big-endian.
 *
 * <pre>
 *   0        8      12     16
 *   | address | key  | size |
 * </pre>
 *
 * @param address   remote address.
 * @param key       remote key.
 * @param sizeBytes length of the memory.
 */
record BufferAdvert(long address, int key, int sizeBytes) {
    static final int LENGTH = 16;

    static BufferAdvert read(ByteBuffer message, int at) {
        return new BufferAdvert(message.getLong(at), message.getInt(at + 8), message.getInt(at + 12));
    }

    void write(ByteBuffer message, int at) {
        message.putLong(at, address).putInt(at + 8, key).putInt(at + 12, sizeBytes);
    }
}
