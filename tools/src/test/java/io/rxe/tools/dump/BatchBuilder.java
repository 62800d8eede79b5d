package io.rxe.tools.dump;

import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** Builds a capture with one datagram of several packets, as a socket with UDP_SEGMENT passes it to the kernel. */
final class BatchBuilder {
    private static final int SOURCE_PORT = 4791;
    private static final int LINK_RAW_IP = 101;

    private final int source;
    private final int destination;
    private final Flow flow;
    private final Icrc icrc = new Icrc();
    private final ByteArrayOutputStream packets = new ByteArrayOutputStream();
    private int count;

    BatchBuilder(int source, int destination) {
        this.source = source;
        this.destination = destination;
        flow = new Flow(Gid.ofIpv4(source), Gid.ofIpv4(destination), SOURCE_PORT, 4791);
    }

    /** Adds a packet of {@code payload} bytes, a multiple of four. */
    void add(int opcode, int psn, int payload) {
        int length = Bth.LENGTH + payload + Icrc.LENGTH;
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        Bth.write(buffer, 0, Opcode.of(opcode), false, 0, 0x11, false, psn);
        for (int i = 0; i < payload; i++) {
            buffer.putByte(Bth.LENGTH + i, (byte) (psn + i));
        }
        Icrc.write(buffer, length - Icrc.LENGTH, icrc.compute(buffer, 0, length - Icrc.LENGTH, flow.icrcSeed(), true, count++));
        byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        packets.writeBytes(bytes);
    }

    /** Returns the capture: raw IP, one record. */
    byte[] toPcap() {
        int udpLength = 8 + packets.size();
        int ipLength = 20 + udpLength;
        ByteBuffer pcap = ByteBuffer.allocate(24 + 16 + ipLength).order(ByteOrder.LITTLE_ENDIAN);
        pcap.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(65535).putInt(LINK_RAW_IP);
        pcap.putInt(1).putInt(0).putInt(ipLength).putInt(ipLength);
        pcap.order(ByteOrder.BIG_ENDIAN);
        // Version, header length, TOS; total length; ID 0, DF; TTL, UDP; checksum; addresses.
        pcap.putShort((short) 0x4500).putShort((short) ipLength).putShort((short) 0).putShort((short) 0x4000);
        pcap.put((byte) 64).put((byte) 17).putShort((short) 0).putInt(source).putInt(destination);
        pcap.putShort((short) SOURCE_PORT).putShort((short) 4791).putShort((short) udpLength).putShort((short) 0);
        return pcap.put(packets.toByteArray()).array();
    }
}
