package io.rxe.sim;

import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.agrona.collections.LongArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/** Which data frames arrived for the first time and when, which arrived again, and how often one was lost. */
final class ArrivalLog {
    /** Resolution in time: parts of a round trip. */
    private static final int SAMPLES = 8;

    /** Payload that one queue pair sends to another. */
    private static final class Stream {
        final BitSet arrived = new BitSet();
        int next;
    }

    private record Destination(Node node, int queuePair) {
    }

    private final Map<Destination, Stream> streams = new HashMap<>();
    private final Map<Integer, Integer> losses = new HashMap<>();
    private final LongArrayList bytesBySample = new LongArrayList();
    private final int firstPsn;
    private final boolean inOrderOnly;
    private final long beginNs;
    private final long roundTripNs;
    private final long sampleNs;
    /** Data frames that arrived, and those of them whose payload had arrived before. */
    long frames;
    long repeated;

    /**
     * @param inOrderOnly whether the receiver discards what lies behind a gap, so that it counts only later.
     * @param roundTripNs that of the path.
     */
    ArrivalLog(int firstPsn, boolean inOrderOnly, long beginNs, long roundTripNs) {
        this.firstPsn = firstPsn;
        this.inOrderOnly = inOrderOnly;
        this.beginNs = beginNs;
        this.roundTripNs = roundTripNs;
        this.sampleNs = Math.max(1, roundTripNs / SAMPLES);
    }

    static boolean isData(Datagram datagram) {
        return Bth.opcode(new UnsafeBuffer(datagram.bytes), 0) != Opcode.RC_ACKNOWLEDGE.code() && payloadBytes(new UnsafeBuffer(datagram.bytes), datagram.bytes.length) > 0;
    }

    private static int payloadBytes(UnsafeBuffer buffer, int length) {
        return HeaderValidator.payloadLength(buffer, 0, length, Opcode.of(Bth.opcode(buffer, 0)));
    }

    void onArrived(Node node, Datagram datagram, long nowNs) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        int bytes = payloadBytes(buffer, datagram.bytes.length);
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
        int sample = (int) ((nowNs - beginNs) / sampleNs);
        while (bytesBySample.size() <= sample) {
            bytesBySample.addLong(0);
        }
        bytesBySample.setLong(sample, bytesBySample.getLong(sample) + bytes);
    }

    /** A packet with this PSN was lost, in either direction. */
    void onLost(Datagram datagram) {
        losses.merge(Bth.psn(new UnsafeBuffer(datagram.bytes), 0), 1, Integer::sum);
    }

    /** PSNs that were lost this often or more; exact for one queue pair. */
    long lostAtLeast(int times) {
        return losses.values().stream().filter(count -> count >= times).count();
    }

    /** Payload in a second between two times since the begin. */
    double bitsPerSecond(long fromNs, long untilNs) {
        long bytes = 0;
        int end = (int) (untilNs / sampleNs);
        int first = (int) (fromNs / sampleNs);
        for (int sample = first; sample < Math.min(end, bytesBySample.size()); sample++) {
            bytes += bytesBySample.getLong(sample);
        }
        return bytes * 8e9 / ((end - first) * sampleNs);
    }

    /** When the first round trip after a time ends in which payload arrived at a rate, since the begin; {@link Long#MAX_VALUE} for never. */
    long reachedNs(double bitsPerSecond, long afterNs) {
        for (long from = afterNs / sampleNs * sampleNs; from / sampleNs + SAMPLES <= bytesBySample.size(); from += sampleNs) {
            if (bitsPerSecond(from, from + SAMPLES * sampleNs) >= bitsPerSecond) {
                return from + roundTripNs;
            }
        }
        return Long.MAX_VALUE;
    }
}
