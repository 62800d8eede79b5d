package io.rxe.sim;

/** One sequence number of a direction. */
final class WirePacket {
    final WireMessage message;
    final int opcode;
    /** Of everything that a repetition must not change. */
    final long digest;
    int transmissions;
    /** Whether the responder's NIC has been handed it. */
    boolean delivered;
    /** How often it was handed to the responder since that answered last. */
    int deliveriesUnanswered;

    WirePacket(WireMessage message, int opcode, long digest) {
        this.message = message;
        this.opcode = opcode;
        this.digest = digest;
    }
}
