package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import java.util.BitSet;
import org.agrona.concurrent.UnsafeBuffer;

/** The receiver of a {@link ModelSender}: keeps every segment, or with go-back-N only the one it expects. */
final class ModelReceiver implements Node {
    private static final int ACK_BYTES = ModelSender.HEADER_BYTES;

    private final Network network;
    private final Flow back;
    private final boolean discards;
    private final Throughput throughput;
    private final BitSet received = new BitSet();
    private int expected;
    private boolean nakSent;

    /** @param flow of the sender. */
    ModelReceiver(Network network, Flow flow, boolean discards, Throughput throughput) {
        this.network = network;
        this.back = new Flow(flow.destination(), flow.source(), flow.destinationPort(), flow.sourcePort());
        this.discards = discards;
        this.throughput = throughput;
    }

    @Override
    public void onDatagram(Datagram datagram, long nowNs) {
        UnsafeBuffer segment = new UnsafeBuffer(datagram.bytes);
        int number = segment.getInt(ModelSender.SEGMENT);
        boolean isBehindGap = number > expected;
        if (!received.get(number) && !(discards && isBehindGap)) {
            received.set(number);
            throughput.add(datagram.bytes.length - ModelSender.HEADER_BYTES, nowNs);
        }
        expected = received.nextClearBit(expected);
        // With go-back-N a gap is reported once.
        boolean isSilent = discards && isBehindGap && nakSent;
        nakSent = isBehindGap;
        if (!isSilent) {
            UnsafeBuffer ack = new UnsafeBuffer(new byte[ACK_BYTES]);
            ack.putInt(ModelSender.SEGMENT, number);
            ack.putInt(ModelSender.TRANSMISSION, segment.getInt(ModelSender.TRANSMISSION));
            ack.putInt(ModelSender.EXPECTED, expected);
            network.send(new Datagram(ack.byteArray(), back, 0, Datagram.Kind.GENUINE, nowNs, null), nowNs);
        }
    }

    @Override
    public Gid gid() {
        return back.source();
    }

    @Override
    public void poll(long nowNs) {
        // It answers at once.
    }

    @Override
    public long nextPollNs() {
        return Long.MAX_VALUE;
    }
}
