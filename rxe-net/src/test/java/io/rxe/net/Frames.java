package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.util.Random;
import org.agrona.MutableDirectBuffer;

/** Valid frames for tests. */
public final class Frames {
    private Frames() {
    }

    public static Flow flow(String source, int sourcePort, String destination, int destinationPort) {
        return new Flow(Gid.parse(source), Gid.parse(destination), sourcePort, destinationPort);
    }

    /** Claims, writes and commits one frame; its payload is random. */
    public static void send(PacketSink sink, Flow flow, Opcode opcode, int qpn, int psn, int payloadBytes, Random random) {
        int lengthBytes = lengthBytes(opcode, payloadBytes);
        int offset = sink.claim(flow, lengthBytes);
        assertEquals(true, offset >= 0, "the sink has room");
        write(sink.buffer(), offset, opcode, qpn, psn, payloadBytes, random);
        sink.commit();
    }

    public static int lengthBytes(Opcode opcode, int payloadBytes) {
        return opcode.headerLength() + (payloadBytes + 3 & ~3) + Icrc.LENGTH;
    }

    /** Writes a frame without its ICRC. */
    public static void write(MutableDirectBuffer buffer, int offset, Opcode opcode, int qpn, int psn, int payloadBytes, Random random) {
        byte[] noise = new byte[opcode.headerLength() + (payloadBytes + 3 & ~3)];
        random.nextBytes(noise);
        buffer.putBytes(offset, noise);
        Bth.write(buffer, offset, opcode, false, -payloadBytes & 3, qpn, false, psn);
        if (opcode.hasReth()) {
            Reth.write(buffer, offset + opcode.rethOffset(), 0x1000, 7, opcode.isFirst() ? 1 << 20 : payloadBytes);
        }
    }
}
