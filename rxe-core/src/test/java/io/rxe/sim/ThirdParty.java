package io.rxe.sim;

import io.rxe.device.NicInspection;
import io.rxe.port.Flow;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A host outside the connections that sends hostile datagrams to the NICs: noise, and well-formed packets with a valid ICRC, from its own
 * address or with the spoofed address of a peer.
 *
 * <p>It knows addresses, queue pair numbers, keys and remote addresses, but no PSN. RoCE has no other protection than the PSN against a
 * sender that spoofs the address of the peer: a forged request that the responder expects next and a forged response to a PSN in flight
 * are accepted. So the forged PSNs lie outside of both. Within the reorder window it forges only requests with a wrong key, which must
 * change nothing; others may be executed. A forged duplicate of what was executed from there would end the connection.
 */
final class ThirdParty {
    /** Requests less than this ahead of the expected PSN are kept until the gap before them closes. */
    private static final int REORDER_WINDOW = 1024;
    /** Farther ahead a peer that knows gap reports keeps no request. */
    private static final int LONG_REORDER_WINDOW = 1 << 16;
    private static final int MAX_INTERVAL_NS = 200_000;
    private static final int IP_ID = 77;

    private final Simulation simulation;
    private final SeededRandom random;
    private final Gid ownGid;
    private final Icrc icrc = new Icrc();
    private long nextNs;
    private int sourcePort;

    ThirdParty(Simulation simulation, SeededRandom random, boolean ipv6) {
        this.simulation = simulation;
        this.random = random;
        this.ownGid = Gid.parse(ipv6 ? "fd00::66" : "10.0.0.66");
    }

    /** When it sends the next datagram. */
    long nextNs() {
        return nextNs;
    }

    /** Makes a datagram to the NIC of an application, which arrives at once. */
    Datagram next(Application victim, long nowNs) {
        nextNs = nowNs + random.between(1_000, MAX_INTERVAL_NS);
        sourcePort = random.chance(0.5) ? 4791 : random.between(1024, 65535);
        return switch (random.between(0, 7)) {
            case 0, 1 -> noise(victim, nowNs);
            case 2 -> wellFormed(victim, ownGid, victim.queuePair.number(), Datagram.Kind.HOSTILE, nowNs);
            case 3 -> wellFormed(victim, victim.peer.node.gid(), unusedNumber(victim), Datagram.Kind.HOSTILE, nowNs);
            case 4 -> managementNoise(victim, nowNs);
            case 5 -> random.chance(0.5) ? blindResponse(victim, nowNs) : requestInWindow(victim, nowNs);
            default -> blindRequest(victim, nowNs);
        };
    }

    /** Random bytes of any length from any source, half of them with the headers of a queue pair of the victim. */
    private Datagram noise(Application victim, long nowNs) {
        byte[] bytes = new byte[random.chance(0.2) ? random.between(0, 20) : random.between(0, 1100) * 4];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.bits();
        }
        if (bytes.length >= 16 && random.chance(0.7)) {
            writeBth(bytes, Opcode.RC_SEND_ONLY, victim.queuePair.number(), random.bits() & Psn.MASK);
            bytes[0] = random.chance(0.5) ? (byte) random.bits() : bytes[0];
        }
        Gid source = random.chance(0.5) ? victim.peer.node.gid() : ownGid;
        return unlessValid(new Datagram(bytes, flow(source, victim), IP_ID, Datagram.Kind.HOSTILE, nowNs, null));
    }

    private Datagram managementNoise(Application victim, long nowNs) {
        return wellFormed(victim, ownGid, random.oneOf(0, 1, 0xFFFFFF), Datagram.Kind.HOSTILE, nowNs);
    }

    /** Noise that happens to have a valid ICRC is no noise. */
    private Datagram unlessValid(Datagram datagram) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        int length = datagram.bytes.length;
        if (length < 16 || length > 4136 || length % 4 != 0) {
            return datagram;
        }
        boolean isValid = datagram.flow.isIpv4() ? icrc.recoverIpId(buffer, 0, length, datagram.flow.icrcSeed()) >= 0
            : icrc.isValidIpv6(buffer, 0, length, datagram.flow.icrcSeed());
        return isValid ? null : datagram;
    }

    private int unusedNumber(Application victim) {
        int number = random.bits() & Psn.MASK;
        while (number < 2 || number == Psn.MASK || simulation.applicationOf(victim.node, number) != null) {
            number = random.bits() & Psn.MASK;
        }
        return number;
    }

    /** A request or a response with a valid ICRC and a PSN at random. */
    private Datagram wellFormed(Application victim, Gid source, int number, Datagram.Kind kind, long nowNs) {
        Opcode opcode = random.chance(0.5) ? drawRequest() : Opcode.RC_ACKNOWLEDGE;
        return seal(packet(victim, opcode, number, random.bits() & Psn.MASK), flow(source, victim), kind, nowNs);
    }

    private Opcode drawRequest() {
        return random.oneOf(new Opcode[] {Opcode.RC_SEND_ONLY, Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST, Opcode.RC_RDMA_WRITE_ONLY,
            Opcode.RC_RDMA_WRITE_MIDDLE, Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_FETCH_ADD, Opcode.RC_COMPARE_SWAP});
    }

    /** A request with the address of the peer and a PSN outside the reorder window: it is a duplicate, or a gap too far ahead. */
    private Datagram blindRequest(Application victim, long nowNs) {
        ProtocolMonitor monitor = victim.peer.monitor;
        long seq = random.chance(0.5) ? monitor.nextSeq() + random.between(2 * LONG_REORDER_WINDOW, 1 << 22)
            : monitor.ackedSeq() - random.between(1, random.oneOf(10, 1 << 22));
        Opcode opcode = drawRequest();
        boolean isModel = victim.responder() != null;
        if (isModel ? opcode.isReadRequest() : NicInspection.comparesDuplicates(victim.queuePair, (int) seq & Psn.MASK)) {
            // rdma_rxe forgets what lies before the part of a READ it has replayed: it is at the mercy of who guesses a PSN.
            return noise(victim, nowNs);
        }
        byte[] bytes = packet(victim, opcode, victim.queuePair.number(), (int) seq & Psn.MASK);
        WireMessage message = monitor.sentMessage(seq);
        if (opcode.isReadRequest() && message != null && message.isRead) {
            readBeyond(bytes, message, (seq - message.firstSeq) * monitor.mtu());
        }
        return seal(bytes, flow(victim.peer.node.gid(), victim), Datagram.Kind.FORGED, nowNs);
    }

    /** Rules R1, R3: a request behind a gap, with a wrong key. It is not refused: the peer has to send it again, and sends another. */
    private Datagram requestInWindow(Application victim, long nowNs) {
        if (victim.responder() != null) {
            return noise(victim, nowNs);
        }
        int psn = (int) (victim.peer.monitor.nextSeq() + random.between(1, random.oneOf(10, REORDER_WINDOW))) & Psn.MASK;
        Opcode opcode = random.oneOf(new Opcode[] {Opcode.RC_RDMA_WRITE_ONLY, Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_FETCH_ADD});
        byte[] bytes = packet(victim, opcode, victim.queuePair.number(), psn);
        int keyAt = (opcode.hasReth() ? opcode.rethOffset() : opcode.atomicEthOffset()) + Long.BYTES;
        bytes[keyAt] ^= 1;
        return seal(bytes, flow(victim.peer.node.gid(), victim), Datagram.Kind.FORGED, nowNs);
    }

    /** Rule R5: the duplicate of a READ that asks for more than the original did. */
    private void readBeyond(byte[] bytes, WireMessage original, long skippedBytes) {
        Reth.write(new UnsafeBuffer(bytes), Opcode.RC_RDMA_READ_REQUEST.rethOffset(), original.address + skippedBytes,
            original.request.remoteKey, original.bytes - skippedBytes + random.between(1, 5000));
    }

    /** An ACK or NAK with the address of the peer, for a PSN that was acknowledged long ago or never sent. */
    private Datagram blindResponse(Application victim, long nowNs) {
        long sent = victim.monitor.nextSeq();
        long seq = random.chance(0.5) ? sent + random.between(1 << 13, 1 << 22) : sent - random.between(1 << 13, 1 << 22);
        byte[] bytes = packet(victim, Opcode.RC_ACKNOWLEDGE, victim.queuePair.number(), (int) seq & Psn.MASK);
        return seal(bytes, flow(victim.peer.node.gid(), victim), Datagram.Kind.FORGED, nowNs);
    }

    private Flow flow(Gid source, Application victim) {
        return new Flow(source, victim.node.gid(), sourcePort, 4791);
    }

    private byte[] packet(Application victim, Opcode opcode, int number, int psn) {
        int payload = !opcode.hasPayload() ? 0 : opcode.isEnd() ? 4 * random.between(1, victim.settings.mtu.bytes() / 4)
            : victim.settings.mtu.bytes();
        byte[] bytes = new byte[opcode.headerLength() + payload + Icrc.LENGTH];
        UnsafeBuffer buffer = writeBth(bytes, opcode, number, psn);
        long address = victim.memory.target.address() + 8L * random.between(0, victim.memory.targetBytes / 8 - 1);
        if (opcode.hasReth()) {
            Reth.write(buffer, opcode.rethOffset(), address, victim.memory.target.rKey(), payload > 0 ? payload : random.between(1, 4096));
        }
        if (opcode.hasAtomicEth()) {
            AtomicEth.write(buffer, opcode.atomicEthOffset(), address, victim.memory.target.rKey(), random.longBits(), random.longBits());
        }
        if (opcode.hasAeth()) {
            Aeth.write(buffer, opcode.aethOffset(), random.oneOf(0, 0x1f, 0x20, 0x3f, 0x60, 0x61, 0x62, 0x63, random.between(0, 255)),
                random.bits() & Psn.MASK);
        }
        return bytes;
    }

    private static UnsafeBuffer writeBth(byte[] bytes, Opcode opcode, int number, int psn) {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Bth.write(buffer, 0, opcode, false, 0, number, true, psn);
        return buffer;
    }

    private Datagram seal(byte[] bytes, Flow flow, Datagram.Kind kind, long nowNs) {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        int covered = bytes.length - Icrc.LENGTH;
        Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, flow.icrcSeed(), flow.isIpv4(), IP_ID));
        return new Datagram(bytes, flow, IP_ID, kind, nowNs, null);
    }
}
