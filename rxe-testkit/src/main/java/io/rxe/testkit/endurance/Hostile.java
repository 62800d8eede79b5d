package io.rxe.testkit.endurance;

import io.rxe.cm.PortSpace;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.port.Flow;
import io.rxe.testkit.endurance.Tally.Count;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Bursts of datagrams from addresses of the loopback network that belong to nobody: random bytes, REQs that nobody confirms, and the same
 * REQs cut off. Sockets of an ordinary user can send them; tools/flood has the other kinds.
 */
final class Hostile {
    private static final int MAD_OFFSET = Bth.LENGTH + Deth.LENGTH;
    private static final int PACKET_BYTES = MAD_OFFSET + MadHeader.MAD_LENGTH + Icrc.LENGTH;
    private static final int MANAGEMENT_KEY = 0x8001_0000;
    private static final int DATAGRAMS_FOR_A_SOURCE = 8;
    private static final int LONGEST_NOISE_BYTES = 4200;
    /** Three times what a NIC remembers, so that hardly a place of its sets is left. */
    private static final int SOURCES_TO_FILL = 48 << 10;
    /** Sent between two pauses: what a receive buffer takes. */
    private static final int FILL_BATCH = 64;
    private static final int WORD_BYTES = 4;

    private final List<String> targets;
    private final int udpPort;
    private final Tally tally;
    private final Random random = new Random();
    private final Icrc icrc = new Icrc();

    Hostile(List<String> targets, int udpPort, Tally tally) {
        this.targets = targets;
        this.udpPort = udpPort;
        this.tally = tally;
    }

    /**
     * Fills what remembers datagrams up to a bound: each NIC the addresses that sent a right ICRC, the process a table for each length.
     * It would take the bursts longer than a short run, which would look like a leak.
     */
    void fill() throws IOException {
        for (int i = 0; i < SOURCES_TO_FILL; i++) {
            try (DatagramSocket socket = randomSource()) {
                Gid source = Gid.of(socket.getLocalAddress().getAddress());
                // First: of an address that sent a right ICRC it would not be computed.
                send(socket, targets.get(i % targets.size()), new byte[i * WORD_BYTES % LONGEST_NOISE_BYTES]);
                for (String target : targets) {
                    send(socket, target, message(CmAttribute.RTU, source, socket.getLocalPort(), Gid.parse(target)));
                }
            }
            if (i % FILL_BATCH == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }

    /** Sends this many datagrams, from as many addresses as an eighth of that. */
    void burst(int datagrams) throws IOException {
        for (int i = 0; i < datagrams; i += DATAGRAMS_FOR_A_SOURCE) {
            try (DatagramSocket socket = randomSource()) {
                Gid source = Gid.of(socket.getLocalAddress().getAddress());
                for (int j = 0; j < DATAGRAMS_FOR_A_SOURCE; j++) {
                    String target = targets.get(random.nextInt(targets.size()));
                    send(socket, target, draw(source, socket.getLocalPort(), Gid.parse(target)));
                }
            }
        }
    }

    /** A socket with an address of 127.64.0.0/10: none of the NICs is there. */
    private DatagramSocket randomSource() throws IOException {
        int address = 127 << 24 | 64 + random.nextInt(64) << 16 | random.nextInt(256) << 8 | 1 + random.nextInt(254);
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(address).array();
        return new DatagramSocket(new InetSocketAddress(InetAddress.getByAddress(bytes), 0));
    }

    private void send(DatagramSocket socket, String target, byte[] bytes) throws IOException {
        socket.send(new DatagramPacket(bytes, bytes.length, new InetSocketAddress(target, udpPort)));
        tally.add(Count.HOSTILE, 1);
    }

    private byte[] draw(Gid source, int sourcePort, Gid target) {
        int kind = random.nextInt(4);
        if (kind == 0) {
            byte[] noise = new byte[random.nextInt(LONGEST_NOISE_BYTES)];
            random.nextBytes(noise);
            return noise;
        }
        byte[] req = message(CmAttribute.REQ, source, sourcePort, target);
        return kind == 1 ? Arrays.copyOf(req, 1 + random.nextInt(PACKET_BYTES - 1)) : req;
    }

    /** A message of connection management with random IDs and a right ICRC. */
    private byte[] message(CmAttribute attribute, Gid source, int sourcePort, Gid target) {
        UnsafeBuffer packet = new UnsafeBuffer(new byte[PACKET_BYTES]);
        Bth.write(packet, 0, Opcode.UD_SEND_ONLY, false, 0, 1, false, 0);
        Deth.write(packet, Bth.LENGTH, MANAGEMENT_KEY, 1);
        UnsafeBuffer mad = new UnsafeBuffer(packet, MAD_OFFSET, MadHeader.MAD_LENGTH);
        MadHeader.write(mad, 0, attribute, random.nextLong());
        CommunicationIds.write(mad, 0, random.nextInt() | 1, attribute == CmAttribute.REQ ? 0 : random.nextInt() | 1);
        if (attribute == CmAttribute.REQ) {
            writeRequest(mad, source, target);
        }
        int covered = PACKET_BYTES - Icrc.LENGTH;
        int seed = new Flow(source, target, sourcePort, udpPort).icrcSeed();
        // The identification of a socket that is not connected is 0.
        Icrc.write(packet, covered, icrc.compute(packet, 0, covered, seed, true, 0));
        return packet.byteArray();
    }

    private void writeRequest(UnsafeBuffer mad, Gid source, Gid target) {
        CmReq.SERVICE_ID.set(mad, 0, PortSpace.TCP.serviceId(Site.PORT));
        CmReq.LOCAL_CA_GUID.set(mad, 0, random.nextLong());
        CmReq.LOCAL_QPN.set(mad, 0, 2 + random.nextInt(1 << 23));
        CmReq.LOCAL_ACK_TIMEOUT.set(mad, 0, 19);
        CmReq.PARTITION_KEY.set(mad, 0, Bth.DEFAULT_PARTITION_KEY);
        CmReq.REMOTE_CM_RESPONSE_TIMEOUT.set(mad, 0, 20);
        CmReq.LOCAL_CM_RESPONSE_TIMEOUT.set(mad, 0, 20);
        CmReq.MAX_CM_RETRIES.set(mad, 0, 15);
        CmReq.PATH_MTU.set(mad, 0, PathMtu.MTU_1024.code());
        CmReq.PRIMARY_LOCAL_GID.set(mad, 0, source);
        CmReq.PRIMARY_REMOTE_GID.set(mad, 0, target);
        CmaHeader.write(mad, CmaHeader.REQ_OFFSET, source, target, 1);
    }
}
