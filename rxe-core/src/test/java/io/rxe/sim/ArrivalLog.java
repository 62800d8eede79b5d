package io.rxe.sim;

import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** Which data frames arrived for the first time, which arrived again, and how often one was lost. */
final class ArrivalLog {
    /** Payload that one queue pair sends to another. */
    private static final class Stream {
        final BitSet arrived = new BitSet();
        int next;
        long bytes;
    }

    private record Destination(Node node, int queuePair) {
    }

    private final Map<Destination, Stream> streams = new HashMap<>();
    private final Map<Integer, Integer> losses = new HashMap<>();
    private final int firstPsn;
    private final boolean inOrderOnly;
    /** Payload that arrived for the first time. */
    final Throughput throughput;
    /** Data frames that arrived, and those of them whose payload had arrived before. */
    long frames;
    long repeated;

    /** @param inOrderOnly whether the receiver discards what lies behind a gap, so that it counts only when it arrives again. */
    ArrivalLog(int firstPsn, boolean inOrderOnly, Throughput throughput) {
        this.firstPsn = firstPsn;
        this.inOrderOnly = inOrderOnly;
        this.throughput = throughput;
    }

    /** The payload of an acknowledgement is a gap report. */
    static boolean isData(Datagram datagram) {
        return payloadBytes(datagram) > 0;
    }

    private static int payloadBytes(Datagram datagram) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        return opcode == Opcode.RC_ACKNOWLEDGE ? 0 : HeaderValidator.payloadLength(buffer, 0, datagram.bytes.length, opcode);
    }

    void onArrived(Node node, Datagram datagram, long nowNs) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        int bytes = payloadBytes(datagram);
        if (bytes <= 0) {
            return;
        }
        frames++;
        Stream stream = streams.computeIfAbsent(new Destination(node, Bth.destinationQpn(buffer, 0)), key -> new Stream());
        int index = Psn.subtract(Bth.psn(buffer, 0), firstPsn) & Psn.MASK;
        if (inOrderOnly && index > stream.next) {
            return;
        }
        if (stream.arrived.get(index)) {
            repeated++;
            return;
        }
        stream.arrived.set(index);
        stream.next = index + 1;
        stream.bytes += bytes;
        throughput.add(bytes, nowNs);
    }

    /** Payload for a queue pair that arrived for the first time. */
    long bytes(Node node, int queuePair) {
        Stream stream = streams.get(new Destination(node, queuePair));
        return stream == null ? 0 : stream.bytes;
    }

    /** A packet with this PSN was lost, in either direction. */
    void onLost(Datagram datagram) {
        losses.merge(Bth.psn(new UnsafeBuffer(datagram.bytes), 0), 1, Integer::sum);
    }

    /** PSNs that were lost this often or more; exact for one queue pair. */
    long lostAtLeast(int times) {
        return losses.values().stream().filter(count -> count >= times).count();
    }
}
