package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A go-back-N receiver that recovers from losses as the responder of rdma_rxe does: it discards requests behind a gap, NAKs the gap once,
 * acknowledges each packet with AckReq by itself, acknowledges every duplicate SEND or WRITE, and answers a READ with zeros. It has no
 * memory and no receive queue, and checks nothing else.
 *
 * <p>Source: rules R1, R4 and R5 of docs/rules.md, with the deviations of rdma_rxe.
 */
final class GoBackNNode implements Node {
    private record Answer(Opcode opcode, int psn, int syndrome, int payload, int msn) {
    }

    /** Time until the kernel's work queue processes a packet. */
    private static final long DELAY_NS = 5_000;

    private final VirtualTime time;
    private final Network network;
    private final Gid gid;
    private final int mtu;
    private final int peerQpn;
    private final Icrc icrc = new Icrc();
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();
    private final Map<Integer, Long> readsByPsn = new HashMap<>();
    private Flow back;
    private int expectedPsn;
    private int ackPsn;
    private int msn;
    private boolean nakSent;
    private int ipId;
    private long pollAtNs = Long.MAX_VALUE;
    /** Packets with payload that it sent. */
    long dataFrames;

    GoBackNNode(VirtualTime time, Network network, Gid gid, int mtu, int peerQpn, int firstPsn) {
        this.time = time;
        this.network = network;
        this.gid = gid;
        this.mtu = mtu;
        this.peerQpn = peerQpn;
        this.expectedPsn = firstPsn;
        this.ackPsn = Psn.previous(firstPsn);
    }

    @Override
    public Gid gid() {
        return gid;
    }

    @Override
    public void onDatagram(Datagram datagram, long nowNs) {
        UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
        if (back == null) {
            back = new Flow(datagram.flow.destination(), datagram.flow.source(), datagram.flow.destinationPort(),
                datagram.flow.sourcePort());
        }
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        int psn = Bth.psn(buffer, 0);
        int distance = Psn.subtract(psn, expectedPsn);
        if (distance > 0) {
            if (!nakSent) {
                nakSent = true;
                answers.add(new Answer(Opcode.RC_ACKNOWLEDGE, expectedPsn, Syndrome.PSN_SEQUENCE_ERROR, 0, msn));
            }
        } else if (distance < 0) {
            duplicate(opcode, psn, buffer);
        } else {
            nakSent = false;
            execute(opcode, psn, buffer);
        }
        pollAtNs = Math.min(pollAtNs, nowNs + DELAY_NS);
    }

    private void execute(Opcode opcode, int psn, UnsafeBuffer buffer) {
        if (opcode.isReadRequest()) {
            long bytes = Reth.dmaLength(buffer, opcode.rethOffset());
            int packets = (int) Math.max(1, (bytes + mtu - 1) / mtu);
            msn = Psn.next(msn);
            readsByPsn.put(psn, bytes);
            answerRead(psn, bytes);
            expectedPsn = Psn.add(psn, packets);
            return;
        }
        ackPsn = psn;
        expectedPsn = Psn.next(psn);
        if (opcode.isEnd()) {
            msn = Psn.next(msn);
        }
        if (Bth.isAckRequested(buffer, 0)) {
            answers.add(new Answer(Opcode.RC_ACKNOWLEDGE, psn, Syndrome.ACK_UNLIMITED, 0, msn));
        }
    }

    private void duplicate(Opcode opcode, int psn, UnsafeBuffer buffer) {
        if (opcode.isReadRequest()) {
            answerRead(psn, Reth.dmaLength(buffer, opcode.rethOffset()));
        } else {
            answers.add(new Answer(Opcode.RC_ACKNOWLEDGE, ackPsn, Syndrome.ACK_UNLIMITED, 0, msn));
        }
    }

    private void answerRead(int psn, long bytes) {
        int packets = (int) Math.max(1, (bytes + mtu - 1) / mtu);
        for (int i = 0; i < packets; i++) {
            boolean first = i == 0 && readsByPsn.containsKey(psn);
            boolean last = i == packets - 1;
            Opcode opcode = first ? last ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : Opcode.RC_RDMA_READ_RESPONSE_FIRST
                : last ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
            answers.add(new Answer(opcode, Psn.add(psn, i), Syndrome.ACK_UNLIMITED, (int) Math.min(mtu, bytes - (long) i * mtu), msn));
        }
    }

    @Override
    public void poll(long nowNs) {
        pollAtNs = Long.MAX_VALUE;
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            send(answer);
        }
    }

    private void send(Answer answer) {
        Opcode opcode = answer.opcode();
        int pad = -answer.payload() & 3;
        byte[] bytes = new byte[opcode.headerLength() + answer.payload() + pad + Icrc.LENGTH];
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        Bth.write(buffer, 0, opcode, false, pad, peerQpn, false, answer.psn());
        if (opcode.hasAeth()) {
            Aeth.write(buffer, opcode.aethOffset(), answer.syndrome(), answer.msn());
        }
        ipId = ipId + 1 & 0xFFFF;
        int covered = bytes.length - Icrc.LENGTH;
        Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, back.icrcSeed(), back.isIpv4(), ipId));
        if (HeaderValidator.payloadLength(buffer, 0, bytes.length, opcode) > 0) {
            dataFrames++;
        }
        network.send(new Datagram(bytes, back, ipId, Datagram.Kind.GENUINE, time.nowNs(), null), time.nowNs());
    }

    @Override
    public long nextPollNs() {
        return pollAtNs;
    }
}
