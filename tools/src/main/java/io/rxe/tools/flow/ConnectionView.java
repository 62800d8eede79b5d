package io.rxe.tools.flow;

import java.io.PrintWriter;

/** What is made of the packets of a connection. */
public interface ConnectionView {
    /** The next packet. What belongs to its track is valid until the call returns. */
    void add(ClassifiedPacket packet);

    /** There are no more packets. */
    void end();

    /** Prints it, where it is text. */
    void print(PrintWriter out);

    /** Makes the view of each connection. */
    @FunctionalInterface
    interface Factory {
        /** Makes one for a connection that has no packets yet. */
        ConnectionView create(Ends ends);
    }

    /**
     * The two ends of a connection.
     *
     * @param leftName address and queue pair of the side that sends the first packet.
     * @param leftQpn  -1 if unknown.
     * @param originNs time of the first packet of the capture.
     * @param large    whether few other connections have more packets.
     */
    record Ends(String leftName, String rightName, int leftQpn, int rightQpn, long originNs, boolean large) {
    }
}
