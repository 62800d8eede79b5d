package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;

/**
 * The packets between two queue pairs in the order of the capture; or those to one queue pair, when nothing tells whose they are.
 *
 * <pre>{@code
 *   left  address, QPN  --- left's requests, answers to right's --->  right  address, QPN
 *                       <-- right's requests, answers to left's ---
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
    private final List<Judged> judged = new ArrayList<>();

    /**
     * A packet and what became of it.
     *
     * @param toRight      direction.
     * @param note         a remark, or nothing.
     * @param silenceNs    time since the packet before, when something was outstanding; else 0.
     */
    record Judged(FlowPacket packet, boolean toRight, Verdict verdict, String note, long silenceNs) {
    }

    /**
     * Judges all packets.
     *
     * @param leftQpn  queue pair on the left, -1 if unknown.
     * @param packets  of both directions, in order; the first goes to the right.
     * @param originNs when the capture begins.
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
        packets.forEach(this::judge);
        long endNs = packets.get(packets.size() - 1).timeNs();
        leftRequests.onEnd(endNs);
        rightRequests.onEnd(endNs);
    }

    private void judge(FlowPacket packet) {
        // Two queue pairs of one host differ only in their numbers.
        boolean toRight = packet.qpn() == rightQpn && packet.destination().equals(right);
        FlowPacket before = judged.isEmpty() ? packet : judged.get(judged.size() - 1).packet();
        boolean waiting = leftRequests.isOutstanding() || rightRequests.isOutstanding();
        long silenceNs = waiting && packet.isReliable() ? packet.timeNs() - before.timeNs() : 0;
        if (packet.trouble() != null || packet.opcode() == null) {
            judged.add(new Judged(packet, toRight, Verdict.TROUBLE, packet.trouble() == null ? "undefined" : packet.trouble(), silenceNs));
            return;
        }
        if (packet.sourceQpn() >= 0) {
            // Datagrams: their PSNs say nothing, since a queue pair counts those to everybody.
            judged.add(new Judged(packet, toRight, Verdict.ORDINARY, "", 0));
            return;
        }
        RequestTrack track = packet.isRequest() == toRight ? leftRequests : rightRequests;
        Verdict verdict = packet.isRequest() ? track.onRequest(packet) : track.onAnswer(packet);
        judged.add(new Judged(packet, toRight, verdict, track.note(), silenceNs));
    }

    List<Judged> judged() {
        return judged;
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

    /** Whether everything went as it should. */
    public boolean isClean() {
        return judged.stream().allMatch(one -> one.verdict().isOrdinary());
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

    /** The picture and the summary. */
    public String toText(boolean everyLine) {
        StringBuilder text = new StringBuilder(4096);
        text.append(leftName()).append("  <->  ").append(rightName()).append(": ").append(packets.size()).append(" packets\n");
        text.append(new FlowPicture(this, originNs, everyLine).toText());
        if (!leftStatistics.isEmpty()) {
            text.append(leftStatistics.toText("requests of " + leftName(), leftRequests.neverSeen()));
        }
        if (!rightStatistics.isEmpty()) {
            text.append(rightStatistics.toText("requests of " + rightName(), rightRequests.neverSeen()));
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
