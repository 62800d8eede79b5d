package io.rxe.device;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.EngineEvents;
import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Queue pair 1, the general services interface: passes management datagrams (MADs) between the wire and a {@link ManagementAgent}. A MAD
 * is a UD SEND ONLY packet with the well-known queue key (IBTA volume 1, chapter 13).
 *
 * <p>Owned by the engine thread.
 */
final class Gsi {
    /** Its queue pair number. */
    static final int QPN = 1;
    /** Its queue key on every port. */
    static final int QUEUE_KEY = 0x8001_0000;
    /** Offset of the attribute id in a MAD, two bytes. */
    private static final int ATTRIBUTE_OFFSET = 16;

    private final NicConfig config;
    private final EngineCounters counters;
    private final EngineEvents events;
    private final ManagementAgent.MadSink mads = this::send;
    private ManagementAgent agent;
    private PacketSink sink;
    private int psn;

    Gsi(NicConfig config, EngineCounters counters, EngineEvents events) {
        this.config = config;
        this.counters = counters;
        this.events = events;
    }

    /** Sets the agent, once. */
    void agent(ManagementAgent newAgent) {
        if (agent != null) {
            throw new IllegalStateException("the NIC at " + config.gid() + " has connection management: use that, RxeNic.connections()"
                + " returns it");
        }
        agent = newAgent;
    }

    /** Checks the headers of a packet for queue pair 1; returns the reason to drop it, or NONE. */
    DropReason check(InboundPacket packet) {
        if (agent == null) {
            return DropReason.UNKNOWN_QUEUE_PAIR;
        }
        if (packet.opcode() != Opcode.UD_SEND_ONLY) {
            return DropReason.WRONG_TRANSPORT;
        }
        if (Deth.queueKey(packet.buffer(), packet.at(packet.opcode().dethOffset())) != QUEUE_KEY) {
            return DropReason.WRONG_QUEUE_KEY;
        }
        if (!packet.flow().destination().equals(config.gid())) {
            return DropReason.WRONG_DESTINATION_ADDRESS;
        }
        return packet.payloadLength() == ManagementAgent.MAD_LENGTH ? DropReason.NONE : DropReason.HEADERS_TRUNCATED;
    }

    void onPacket(InboundPacket packet, long nowNs) {
        events.report(EngineEvent.MANAGEMENT_RECEIVED, QPN, packet.psn(), attribute(packet.buffer(), packet.payloadOffset()));
        int partition = config.partitionKeys().indexFor(Bth.partitionKey(packet.buffer(), packet.offset()));
        agent.onMad(packet.flow().source(), partition, packet.buffer(), packet.payloadOffset(), nowNs);
    }

    int poll(long nowNs, PacketSink packets) {
        if (agent == null) {
            return 0;
        }
        sink = packets;
        return agent.poll(nowNs, mads);
    }

    void onSendFailed(Gid destination, String why) {
        if (agent != null) {
            agent.onSendFailed(destination, why);
        }
    }

    private boolean send(Gid destination, int partitionKeyIndex, DirectBuffer mad, int at) {
        Opcode opcode = Opcode.UD_SEND_ONLY;
        int length = opcode.headerLength() + ManagementAgent.MAD_LENGTH + Icrc.LENGTH;
        int offset = sink.claim(new Flow(config.gid(), destination, config.udpPort(), config.udpPort()), length);
        if (offset < 0) {
            return false;
        }
        MutableDirectBuffer buffer = sink.buffer();
        Bth.write(buffer, offset, opcode, false, 0, config.partitionKeys().key(partitionKeyIndex), QPN, false, psn);
        Deth.write(buffer, offset + opcode.dethOffset(), QUEUE_KEY, QPN);
        buffer.putBytes(offset + opcode.headerLength(), mad, at, ManagementAgent.MAD_LENGTH);
        sink.commit();
        counters.count(NicCounter.SENT_PKTS);
        counters.count(NicCounter.SENT_BYTES, length);
        events.report(EngineEvent.MANAGEMENT_SENT, QPN, psn, attribute(mad, at));
        psn = Psn.next(psn);
        return true;
    }

    private static int attribute(DirectBuffer mad, int at) {
        return mad.getShort(at + ATTRIBUTE_OFFSET, ByteOrder.BIG_ENDIAN) & 0xFFFF;
    }

    long nextDeadlineNs() {
        return agent == null ? Long.MAX_VALUE : agent.nextDeadlineNs();
    }
}
