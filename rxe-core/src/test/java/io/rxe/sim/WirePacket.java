package io.rxe.sim;

import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/** One sequence number of one direction of a connection. */
final class WirePacket {
    /** MigReq in the second byte of the BTH: a retransmission on another path differs in it. */
    private static final int MIGRATION_REQUEST = 0x40;
    /** FECN and BECN, beside which a request tells when it left. */
    private static final int CONGESTION = 0xC0;

    final WireMessage message;
    final int opcode;
    /** Checksum of the bytes that a retransmission must not change. */
    final long digest;
    int transmissions;
    /** Whether it was delivered to the NIC of the responder. */
    boolean delivered;
    /** Deliveries to the responder since its last response. */
    int unansweredDeliveries;

    WirePacket(WireMessage message, int opcode, long digest) {
        this.message = message;
        this.opcode = opcode;
        this.digest = digest;
    }

    /** Checksum of everything but AckReq, MigReq, when it left (rule G10) and the ICRC. */
    static long digest(UnsafeBuffer buffer, int length) {
        CRC32C crc = new CRC32C();
        byte[] bytes = buffer.byteArray();
        crc.update(bytes[0]);
        crc.update(bytes[1] & ~MIGRATION_REQUEST);
        crc.update(bytes, 2, 2);
        crc.update(bytes[4] & CONGESTION);
        crc.update(bytes, 5, 3);
        crc.update(bytes, 9, length - 4 - 9);
        return crc.getValue() << 16 | length;
    }
}
