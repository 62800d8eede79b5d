package io.rxe.cm;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.MadHeader;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Nodes and the MADs between them, in virtual time. */
final class CmNetwork {
    static final long MS = 1_000_000L;
    static final long SECOND = 1000 * MS;
    static final long LATENCY_NS = MS;

    /** The delays of the copies of a MAD that arrive, in nanoseconds; none = lost. */
    interface Faults {
        long[] delays(Sent mad);
    }

    /** A MAD that left a node. */
    record Sent(int index, long timeNs, Gid source, Gid destination, CmAttribute attribute, byte[] bytes) {
        UnsafeBuffer buffer() {
            return new UnsafeBuffer(bytes);
        }
    }

    private record Flight(long arrivalNs, int order, Sent mad) {
    }

    final List<CmNode> nodes = new ArrayList<>();
    final List<Sent> sent = new ArrayList<>();
    Faults faults = mad -> new long[] {LATENCY_NS};
    long nowNs;
    private final PriorityQueue<Flight> flights =
        new PriorityQueue<>(Comparator.comparingLong(Flight::arrivalNs).thenComparingInt(Flight::order));
    private int order;

    CmNode add(String address) {
        return add(new CmNode(CmNode.config(address), new Random(address.hashCode())::nextInt));
    }

    CmNode add(CmNode node) {
        nodes.add(node);
        return node;
    }

    /** Delivers a MAD of the test at once. */
    void inject(Gid source, Gid destination, byte[] bytes) {
        Sent mad = new Sent(-1, nowNs, source, destination, MadHeader.attribute(new UnsafeBuffer(bytes), 0), bytes);
        flights.add(new Flight(nowNs, order++, mad));
    }

    private boolean send(Gid source, Gid destination, DirectBuffer mad, int offset) {
        byte[] bytes = new byte[MadHeader.MAD_LENGTH];
        mad.getBytes(offset, bytes);
        Sent record = new Sent(sent.size(), nowNs, source, destination, MadHeader.attribute(mad, offset), bytes);
        sent.add(record);
        for (long delay : faults.delays(record)) {
            flights.add(new Flight(nowNs + delay, order++, record));
        }
        return true;
    }

    /** Polls and delivers until nothing more is due now. */
    void settle() {
        boolean busy = true;
        while (busy) {
            busy = false;
            for (CmNode node : nodes) {
                busy |= node.core.poll(nowNs, (to, partition, mad, offset) -> send(node.gid, to, mad, offset)) > 0;
            }
            while (!flights.isEmpty() && flights.peek().arrivalNs <= nowNs) {
                deliver(flights.poll().mad);
                busy = true;
            }
        }
    }

    private void deliver(Sent mad) {
        for (CmNode node : nodes) {
            if (node.gid.equals(mad.destination)) {
                node.core.onMad(mad.source, 0, mad.buffer(), 0, nowNs);
            }
        }
    }

    /** Jumps to the next arrival or deadline; false if there is none. */
    boolean step() {
        settle();
        long next = flights.isEmpty() ? Long.MAX_VALUE : flights.peek().arrivalNs;
        for (CmNode node : nodes) {
            next = Math.min(next, node.core.nextDeadlineNs());
        }
        if (next == Long.MAX_VALUE) {
            return false;
        }
        nowNs = Math.max(nowNs, next);
        settle();
        return true;
    }

    /** Steps until a condition holds. */
    void runUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (!step()) {
                throw new AssertionError("no arrival or deadline is left; sent: " + attributes());
            }
        }
    }

    /** Lets time pass, with all arrivals and deadlines in it. */
    void run(long durationNs) {
        long end = nowNs + durationNs;
        settle();
        while (true) {
            long next = flights.isEmpty() ? Long.MAX_VALUE : flights.peek().arrivalNs;
            for (CmNode node : nodes) {
                next = Math.min(next, node.core.nextDeadlineNs());
            }
            if (next > end) {
                break;
            }
            nowNs = Math.max(nowNs, next);
            settle();
        }
        nowNs = end;
        settle();
    }

    List<CmAttribute> attributes() {
        return sent.stream().map(Sent::attribute).toList();
    }

    List<Sent> sent(CmAttribute attribute) {
        return sent.stream().filter(mad -> mad.attribute == attribute).toList();
    }

    Sent last() {
        return sent.get(sent.size() - 1);
    }
}
