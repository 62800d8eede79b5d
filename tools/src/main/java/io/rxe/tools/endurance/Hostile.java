package io.rxe.tools.endurance;

import io.rxe.cm.PortSpace;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.port.Flow;
import io.rxe.tools.endurance.Tally.Count;
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
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Bursts of datagrams from addresses of the loopback network that belong to nobody: random bytes, REQs that nobody confirms, and the same
 * REQs cut off. Sockets of an ordinary user can send them; tools/flood has the other kinds.
 */
final class Hostile {
    private static final int MAD_OFFSET = Bth.LENGTH + Deth.LENGTH;
    private static final int REQ_BYTES = MAD_OFFSET + MadHeader.MAD_LENGTH + Icrc.LENGTH;
    private static final int MANAGEMENT_KEY = 0x8001_0000;
    private static final int DATAGRAMS_FOR_A_SOURCE = 8;
    private static final int LONGEST_NOISE_BYTES = 4200;

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

    /** Sends this many datagrams, from as many addresses as an eighth of that. */
    void burst(int datagrams) throws IOException {
        for (int i = 0; i < datagrams; i += DATAGRAMS_FOR_A_SOURCE) {
            // 127.64.0.0/10: none of the NICs is there.
            int address = 127 << 24 | 64 + random.nextInt(64) << 16 | random.nextInt(256) << 8 | 1 + random.nextInt(254);
            byte[] bytesOfAddress = ByteBuffer.allocate(Integer.BYTES).putInt(address).array();
            try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getByAddress(bytesOfAddress), 0))) {
                for (int j = 0; j < DATAGRAMS_FOR_A_SOURCE; j++) {
                    String target = targets.get(random.nextInt(targets.size()));
                    byte[] bytes = draw(Gid.ofIpv4(address), socket.getLocalPort(), Gid.parse(target));
                    socket.send(new DatagramPacket(bytes, bytes.length, new InetSocketAddress(target, udpPort)));
                    tally.add(Count.HOSTILE, 1);
                }
            }
        }
    }

    private byte[] draw(Gid source, int sourcePort, Gid target) {
        int kind = random.nextInt(4);
        if (kind == 0) {
            byte[] noise = new byte[random.nextInt(LONGEST_NOISE_BYTES)];
            random.nextBytes(noise);
            return noise;
        }
        byte[] req = request(source, sourcePort, target);
        return kind == 1 ? Arrays.copyOf(req, 1 + random.nextInt(REQ_BYTES - 1)) : req;
    }

    private byte[] request(Gid source, int sourcePort, Gid target) {
        UnsafeBuffer packet = new UnsafeBuffer(new byte[REQ_BYTES]);
        Bth.write(packet, 0, Opcode.UD_SEND_ONLY, false, 0, 1, false, 0);
        Deth.write(packet, Bth.LENGTH, MANAGEMENT_KEY, 1);
        UnsafeBuffer mad = new UnsafeBuffer(packet, MAD_OFFSET, MadHeader.MAD_LENGTH);
        MadHeader.write(mad, 0, CmAttribute.REQ, random.nextLong());
        CommunicationIds.write(mad, 0, random.nextInt() | 1, 0);
        CmReq.serviceId(mad, 0, PortSpace.TCP.serviceId(Site.PORT));
        CmReq.localCaGuid(mad, 0, random.nextLong());
        CmReq.localQpn(mad, 0, 2 + random.nextInt(1 << 23));
        CmReq.localAckTimeout(mad, 0, 19);
        CmReq.remoteCmResponseTimeout(mad, 0, 20);
        CmReq.localCmResponseTimeout(mad, 0, 20);
        CmReq.maxCmRetries(mad, 0, 15);
        CmReq.pathMtu(mad, 0, PathMtu.MTU_1024.code());
        CmReq.primaryLocalGid(mad, 0, source);
        CmReq.primaryRemoteGid(mad, 0, target);
        CmaHeader.write(mad, CmaHeader.REQ_OFFSET, source, target, 1);
        int covered = REQ_BYTES - Icrc.LENGTH;
        int seed = new Flow(source, target, sourcePort, udpPort).icrcSeed();
        // The identification of a socket that is not connected is 0.
        Icrc.write(packet, covered, icrc.compute(packet, 0, covered, seed, true, 0));
        return packet.byteArray();
    }
}
