package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Set;

/**
 * The packets between two queue pairs in the order of the capture; or those to one queue pair, if its peer is unknown. Packets are drawn
 * and counted as they come, and not kept.
 *
 * <pre>{@code
 *   left  address, QPN  --- left's requests, responses to right's --->  right  address, QPN
 *                       <-- right's requests, responses to left's ---
 * }</pre>
 */
public final class Connection {
    private static final int UNKNOWN = -1;

    private final Gid left;
    private final Gid right;
    /** Addresses of the right side: one for each path. */
    private final Set<Gid> rightAddresses = new HashSet<>();
    /** That of the path the latest packet took. */
    private Gid rightNow;
    private final int leftQpn;
    private final int rightQpn;
    private final ConnectionView view;
    private final FlowStatistics leftStatistics = new FlowStatistics();
    private final FlowStatistics rightStatistics = new FlowStatistics();
    private final RequestTrack leftRequests;
    private final RequestTrack rightRequests;
    private long packets;
    private long lastNs;
    private boolean clean = true;

    /**
     * Creates a connection without packets.
     *
     * @param left      address of the side that sends the first packet.
     * @param leftQpn   queue pair on the left, -1 if unknown.
     * @param mtu       payload of a full packet, 0 if the capture does not show it.
     * @param views     makes the picture.
     * @param originNs  time of the first packet of the capture.
     * @param large     whether few other connections have more packets.
     */
    Connection(Gid left, int leftQpn, Gid right, int rightQpn, int mtu, ConnectionView.Factory views, long originNs, boolean large) {
        this.left = left;
        this.right = right;
        this.rightNow = right;
        this.rightAddresses.add(right);
        this.leftQpn = leftQpn;
        this.rightQpn = rightQpn;
        this.view = views.create(new ConnectionView.Ends(leftName(), rightName(), leftQpn, rightQpn, originNs, large));
        this.leftRequests = new RequestTrack(mtu, leftStatistics);
        this.rightRequests = new RequestTrack(mtu, rightStatistics);
    }

    /** Classifies and draws the next packet. */
    ClassifiedPacket add(FlowPacket packet) {
        ClassifiedPacket classified = classify(packet, packets == 0 ? packet.timeNs() : lastNs);
        packets++;
        lastNs = packet.timeNs();
        clean &= classified.packetClass().isOrdinary();
        view.add(classified);
        return classified;
    }

    /** The code of the local ACK timeout of both sides is known. */
    void ackTimeout(int code) {
        leftRequests.ackTimeout(code);
        rightRequests.ackTimeout(code);
    }

    /** The connection migrates to another path, on which the right side has this address. */
    void addPath(Gid rightAddress) {
        rightAddresses.add(rightAddress);
    }

    /** There are no more packets: requests that are outstanding have waited until the last one. */
    void end() {
        leftRequests.onEnd(lastNs);
        rightRequests.onEnd(lastNs);
        view.end();
    }

    private ClassifiedPacket classify(FlowPacket packet, long beforeNs) {
        // Two queue pairs of one host differ only in their numbers.
        boolean toRight = packet.qpn() == rightQpn && rightAddresses.contains(packet.destination());
        boolean waiting = leftRequests.isOutstanding() || rightRequests.isOutstanding();
        long silenceNs = waiting && packet.isReliable() ? packet.timeNs() - beforeNs : 0;
        if (packet.invalidReason() != null || packet.opcode() == null) {
            return new ClassifiedPacket(packet, toRight, PacketClass.INVALID, packet.invalidReason() == null ? "undefined"
                : packet.invalidReason(), silenceNs, null);
        }
        if (packet.opcode().isNotification()) {
            (toRight ? rightStatistics : leftStatistics).notification();
            return new ClassifiedPacket(packet, toRight, PacketClass.ORDINARY, "", silenceNs, null);
        }
        if (packet.sourceQpn() >= 0) {
            // The PSNs of datagrams prove nothing: a queue pair numbers those to all destinations together.
            return new ClassifiedPacket(packet, toRight, PacketClass.ORDINARY, packet.refusal(), 0, null);
        }
        RequestTrack track = packet.isRequest() == toRight ? leftRequests : rightRequests;
        String path = path(packet, toRight);
        PacketClass packetClass = packet.isRequest() ? track.onRequest(packet) : track.onResponse(packet);
        String note = path.isEmpty() || track.note().isEmpty() ? path + track.note() : path + ", " + track.note();
        return new ClassifiedPacket(packet, toRight, packetClass, note, silenceNs, track);
    }

    /** A remark on the first packet of another path; else empty. */
    private String path(FlowPacket packet, boolean toRight) {
        Gid address = toRight ? packet.destination() : packet.source();
        if (address.equals(rightNow)) {
            return "";
        }
        rightNow = address;
        leftRequests.onPath(packet.timeNs());
        rightRequests.onPath(packet.timeNs());
        return "path " + packet.source().address() + " > " + packet.destination().address();
    }

    long packets() {
        return packets;
    }

    /** Whether one of the two queue pairs has this number. */
    public boolean involves(int qpn) {
        return qpn == leftQpn || qpn == rightQpn;
    }

    /** Whether no packet shows an anomaly. */
    public boolean isClean() {
        return clean;
    }

    String leftName() {
        return name(left, leftQpn);
    }

    String rightName() {
        return name(right, rightQpn);
    }

    private static String name(Gid address, int qpn) {
        return address.address() + " qpn " + (qpn == UNKNOWN ? "?" : "0x" + Integer.toHexString(qpn));
    }

    /** The picture, as made by the factory. */
    public ConnectionView view() {
        return view;
    }

    /** Prints the diagram and the summary. */
    public void print(PrintWriter out) {
        out.print(leftName() + "  <->  " + rightName() + ": " + packets + " packets\n");
        view.print(out);
        if (!leftStatistics.isEmpty()) {
            out.print(leftStatistics.toText("requests of " + leftName(), leftRequests.missingAtEnd()));
        }
        if (!rightStatistics.isEmpty()) {
            out.print(rightStatistics.toText("requests of " + rightName(), rightRequests.missingAtEnd()));
        }
        out.print('\n');
    }

    FlowStatistics leftStatistics() {
        return leftStatistics;
    }

    FlowStatistics rightStatistics() {
        return rightStatistics;
    }
}
