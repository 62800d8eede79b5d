package io.rxe.tools.perftest.handshake;

/** Wire format of a key record. */
public enum KeyFormat {
    /** Text of 108 bytes, on a TCP connection. */
    TEXT(KeyRecord.TEXT_BYTES),
    /** 56 bytes in network order, on a queue pair made by connection management. */
    BINARY(KeyRecord.BINARY_BYTES);

    private final int lengthBytes;

    KeyFormat(int lengthBytes) {
        this.lengthBytes = lengthBytes;
    }

    /** Length of a record. */
    public int lengthBytes() {
        return lengthBytes;
    }
}
