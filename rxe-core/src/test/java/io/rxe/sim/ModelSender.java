package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The sender of a flow that is no RoCE: it competes with the NICs for a {@link Bottleneck}, or shows what another protocol makes of a path.
 * Its segments are numbered, and so are their transmissions; a {@link ModelReceiver} acknowledges each.
 */
abstract class ModelSender implements Node {
    /** What a TCP segment has more than a UDP datagram: its header with time stamps, less that of UDP. */
    static final int HEADER_BYTES = 24;
    static final int SEGMENT = 0;
    static final int TRANSMISSION = 4;
    static final int EXPECTED = 8;

    private final VirtualTime time;
    private final Network network;
    private final Flow flow;
    private final int payloadBytes;
    private int transmissions;
    long pollAtNs;

    /** Makes one. */
    interface Maker {
        ModelSender make(VirtualTime time, Network network, Flow flow, int payloadBytes);
    }

    ModelSender(VirtualTime time, Network network, Flow flow, int payloadBytes) {
        this.time = time;
        this.network = network;
        this.flow = flow;
        this.payloadBytes = payloadBytes;
        this.pollAtNs = time.nowNs();
    }

    /** Sends a segment; returns the number of this transmission. */
    final int transmit(int segment) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[HEADER_BYTES + payloadBytes]);
        buffer.putInt(SEGMENT, segment);
        buffer.putInt(TRANSMISSION, transmissions);
        network.send(new Datagram(buffer.byteArray(), flow, 0, Datagram.Kind.GENUINE, time.nowNs(), null), time.nowNs());
        return transmissions++;
    }

    /** The number of the next transmission. */
    final int transmissions() {
        return transmissions;
    }

    /** Bits of a segment in its payload. */
    final double payloadBits() {
        return 8.0 * payloadBytes;
    }

    /**
     * The receiver answers a transmission.
     *
     * @param expected the first segment that is missing.
     */
    abstract void onAcknowledged(int segment, int transmission, int expected, long nowNs);

    @Override
    public final void onDatagram(Datagram datagram, long nowNs) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        onAcknowledged(buffer.getInt(SEGMENT), buffer.getInt(TRANSMISSION), buffer.getInt(EXPECTED), nowNs);
    }

    @Override
    public final Gid gid() {
        return flow.source();
    }

    @Override
    public final long nextPollNs() {
        return pollAtNs;
    }
}
