package io.rxe.sim;

/** One sequence number of one direction of a connection. */
final class WirePacket {
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
}
