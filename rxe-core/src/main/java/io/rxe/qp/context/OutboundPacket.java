package io.rxe.qp.context;

import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import org.agrona.MutableDirectBuffer;

/**
 * The packet being written into the sink: claims room for headers, payload, pad and ICRC, and knows where each part lies. The counterpart
 * of {@link InboundPacket}; one object per sender, used again for every packet. The sink seals the ICRC.
 *
 * <p>Owned by the engine thread.
 */
public final class OutboundPacket {
    private final QueuePairContext context;
    private final QueuePairCounters counters;
    private final PathMigration path;
    private PacketSink sink;
    private MutableDirectBuffer buffer;
    private int offset;
    private int payloadOffset;
    private int padBytes;
    private int lengthBytes;

    /** @param context the queue pair that sends: counts the packets, and says which P_Key they have and whether they ask to migrate. */
    public OutboundPacket(QueuePairContext context) {
        this.context = context;
        this.counters = context.counters();
        this.path = context.path();
    }

    /**
     * Claims room and zeroes the pad. Without {@link #commit} nothing is sent.
     *
     * @return false when the sink is full.
     */
    public boolean claim(PacketSink intoSink, Flow flow, Opcode opcode, int payloadBytes) {
        int pad = -payloadBytes & 3;
        int length = opcode.headerLength() + payloadBytes + pad + Icrc.LENGTH;
        int claimed = intoSink.claim(flow, length);
        if (claimed < 0) {
            return false;
        }
        sink = intoSink;
        buffer = intoSink.buffer();
        offset = claimed;
        payloadOffset = claimed + opcode.headerLength();
        padBytes = pad;
        lengthBytes = length;
        for (int i = 0; i < pad; i++) {
            buffer.putByte(payloadOffset + payloadBytes + i, (byte) 0);
        }
        return true;
    }

    public MutableDirectBuffer buffer() {
        return buffer;
    }

    /** Where the BTH begins. */
    public int offset() {
        return offset;
    }

    /** Where a header lies whose offset in the packet the opcode table gives. */
    public int at(int headerOffset) {
        return offset + headerOffset;
    }

    public int payloadOffset() {
        return payloadOffset;
    }

    /** Writes the BTH of every packet of the queue pair, so that none lacks its P_Key (rule R16) or MigReq (rule M1). */
    public void writeBth(Opcode opcode, boolean solicited, int destinationQpn, boolean ackRequested, int psn) {
        Bth.write(buffer, offset, opcode, solicited, padBytes, context.partitionKey(), destinationQpn, ackRequested, psn);
        if (path.isRequesting()) {
            Bth.migrationRequest(buffer, offset, true);
        }
    }

    /** Hands the packet over to the sink and counts it. */
    public void commit() {
        sink.commit();
        count();
    }

    /** As {@link #commit}; the ICRC covers the headers twice. */
    public void commitCoveredTwice() {
        sink.commitCoveredTwice();
        count();
    }

    private void count() {
        counters.count(NicCounter.SENT_PKTS);
        counters.count(NicCounter.SENT_BYTES, lengthBytes);
    }
}
