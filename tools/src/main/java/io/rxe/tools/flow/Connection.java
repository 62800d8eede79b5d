package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;

/**
 * The packets between two queue pairs in the order of the capture; or those to one queue pair, if its peer is unknown.
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
    private final int leftQpn;
    private final int rightQpn;
    private final List<FlowPacket> packets;
    private final long originNs;
    private final FlowStatistics leftStatistics = new FlowStatistics();
    private final FlowStatistics rightStatistics = new FlowStatistics();
    private final RequestTrack leftRequests;
    private final RequestTrack rightRequests;
    private final List<ClassifiedPacket> classified = new ArrayList<>();

    /**
     * A packet and its class.
     *
     * @param toRight      whether it travels from left to right.
     * @param note         a remark, or empty.
     * @param silenceNs    time since the previous packet if a request was outstanding; else 0.
     */
    record ClassifiedPacket(FlowPacket packet, boolean toRight, PacketClass packetClass, String note, long silenceNs) {
    }

    /**
     * Classifies all packets.
     *
     * @param leftQpn  queue pair on the left, -1 if unknown.
     * @param packets  of both directions, in order; the first travels to the right.
     * @param originNs time of the first packet of the capture.
     */
    Connection(int leftQpn, int rightQpn, List<FlowPacket> packets, long originNs) {
        this.originNs = originNs;
        this.left = packets.get(0).source();
        this.right = packets.get(0).destination();
        this.leftQpn = leftQpn;
        this.rightQpn = rightQpn;
        this.packets = packets;
        int mtu = packets.stream()
            .filter(packet -> packet.opcode() != null && (packet.opcode().isFirst() || packet.opcode().isMiddle()))
            .mapToInt(FlowPacket::payloadBytes).max().orElse(0);
        this.leftRequests = new RequestTrack(mtu, leftStatistics);
        this.rightRequests = new RequestTrack(mtu, rightStatistics);
        packets.forEach(this::classify);
        long endNs = packets.get(packets.size() - 1).timeNs();
        leftRequests.onEnd(endNs);
        rightRequests.onEnd(endNs);
    }

    private void classify(FlowPacket packet) {
        // Two queue pairs of one host differ only in their numbers.
        boolean toRight = packet.qpn() == rightQpn && packet.destination().equals(right);
        FlowPacket before = classified.isEmpty() ? packet : classified.get(classified.size() - 1).packet();
        boolean waiting = leftRequests.isOutstanding() || rightRequests.isOutstanding();
        long silenceNs = waiting && packet.isReliable() ? packet.timeNs() - before.timeNs() : 0;
        if (packet.invalidReason() != null || packet.opcode() == null) {
            classified.add(new ClassifiedPacket(packet, toRight, PacketClass.INVALID, packet.invalidReason() == null ? "undefined"
                : packet.invalidReason(), silenceNs));
            return;
        }
        if (packet.sourceQpn() >= 0) {
            // The PSNs of datagrams prove nothing: a queue pair numbers those to all destinations together.
            classified.add(new ClassifiedPacket(packet, toRight, PacketClass.ORDINARY, "", 0));
            return;
        }
        RequestTrack track = packet.isRequest() == toRight ? leftRequests : rightRequests;
        PacketClass packetClass = packet.isRequest() ? track.onRequest(packet) : track.onResponse(packet);
        classified.add(new ClassifiedPacket(packet, toRight, packetClass, track.note(), silenceNs));
    }

    List<ClassifiedPacket> classified() {
        return classified;
    }

    Gid left() {
        return left;
    }

    Gid right() {
        return right;
    }

    /** Whether one of the two queue pairs has this number. */
    public boolean involves(int qpn) {
        return qpn == leftQpn || qpn == rightQpn;
    }

    /** Whether no packet shows an anomaly. */
    public boolean isClean() {
        return classified.stream().allMatch(one -> one.packetClass().isOrdinary());
    }

    String leftName() {
        return name(left, leftQpn);
    }

    String rightName() {
        return name(right, rightQpn);
    }

    private static String name(Gid address, int qpn) {
        return (address.isIpv4() ? ipv4(address.ipv4()) : address.toString()) + " qpn "
            + (qpn == UNKNOWN ? "?" : "0x" + Integer.toHexString(qpn));
    }

    private static String ipv4(int ip) {
        return (ip >>> 24) + "." + (ip >>> 16 & 0xFF) + "." + (ip >>> 8 & 0xFF) + "." + (ip & 0xFF);
    }

    /** The diagram and the summary. */
    public String toText(boolean everyLine) {
        StringBuilder text = new StringBuilder(4096);
        text.append(leftName()).append("  <->  ").append(rightName()).append(": ").append(packets.size()).append(" packets\n");
        text.append(new FlowPicture(this, originNs, everyLine).toText());
        if (!leftStatistics.isEmpty()) {
            text.append(leftStatistics.toText("requests of " + leftName(), leftRequests.missingAtEnd()));
        }
        if (!rightStatistics.isEmpty()) {
            text.append(rightStatistics.toText("requests of " + rightName(), rightRequests.missingAtEnd()));
        }
        return text.append('\n').toString();
    }

    FlowStatistics leftStatistics() {
        return leftStatistics;
    }

    FlowStatistics rightStatistics() {
        return rightStatistics;
    }
}
