package io.rxe.tools.sequence;

import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.MadHeader;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Ecn;
import io.rxe.wire.GapReport;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A capture between two queue pairs, written packet by packet. The requester is at 10.0.0.1, the responder at 10.0.0.2. */
final class Scene implements Closeable {
    static final int LEFT_QPN = 0x11;
    static final int RIGHT_QPN = 0x22;
    private static final int PORT = 4791;
    private static final long US = 1000;

    private final CaptureWriter capture;
    private final UnsafeBuffer packet = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final Icrc icrc = new Icrc();
    private Path path = new Path("10.0.0.1", "10.0.0.2");
    private long nowNs;
    private int mtu = 1024;
    private boolean marked;
    private boolean migrated;
    private boolean congested;
    private int messages;

    /** The addresses of both ends, and what belongs to each direction. */
    private static final class Path {
        private final RoceFrameWriter there;
        private final RoceFrameWriter back;
        private final int seedThere;
        private final int seedBack;

        Path(String left, String right) {
            Gid from = Gid.parse(left);
            Gid to = Gid.parse(right);
            there = new RoceFrameWriter(from, to, PORT, PORT);
            back = new RoceFrameWriter(to, from, PORT, PORT);
            seedThere = Icrc.seed(from, to, PORT, PORT);
            seedBack = Icrc.seed(to, from, PORT, PORT);
        }
    }

    Scene(OutputStream out) {
        try {
            capture = new CaptureWriter(out, LinkType.ETHERNET, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Time passes. */
    Scene after(double us) {
        nowNs += (long) (us * US);
        return this;
    }

    /** Both ends are rxe: requests and responses have the mark. */
    Scene ours() {
        marked = true;
        return this;
    }

    Scene mtu(int bytes) {
        mtu = bytes;
        return this;
    }

    /** From now on packets take another path. */
    Scene otherPath() {
        path = new Path("10.1.0.1", "10.1.0.2");
        migrated = true;
        return this;
    }

    /** Whether routers mark what is sent from now on. */
    Scene congested(boolean value) {
        congested = value;
        return this;
    }

    /** The requester asks for the connection, with a code of the local ACK timeout. */
    Scene connect(int ackTimeout) {
        int mad = Opcode.UD_SEND_ONLY.headerLength();
        Bth.write(packet, 0, Opcode.UD_SEND_ONLY, false, 0, 1, false, 0);
        packet.setMemory(Bth.LENGTH, mad + MadHeader.MAD_LENGTH - Bth.LENGTH, (byte) 0);
        MadHeader.write(packet, mad, CmAttribute.REQ, 1);
        CmReq.LOCAL_QPN.set(packet, mad, LEFT_QPN);
        CmReq.LOCAL_ACK_TIMEOUT.set(packet, mad, ackTimeout);
        return write(true, mad + MadHeader.MAD_LENGTH).after(200);
    }

    /** SEND ONLY, of one MTU. */
    Scene send(int psn) {
        return request(Opcode.RC_SEND_ONLY, psn, mtu, -1);
    }

    /** Several of them, one every us. */
    Scene sends(int firstPsn, int count) {
        for (int i = 0; i < count; i++) {
            send(firstPsn + i).after(1);
        }
        return this;
    }

    /** A part of a SEND of several packets; the last one asks for an ACK. */
    Scene part(Opcode opcode, int psn) {
        return request(opcode, psn, mtu, -1);
    }

    /** WRITE ONLY of a length; 0 as a keep-alive has it. */
    Scene write(int psn, int bytes) {
        return request(Opcode.RC_RDMA_WRITE_ONLY, psn, bytes, bytes);
    }

    Scene read(int psn, int packets) {
        return request(Opcode.RC_RDMA_READ_REQUEST, psn, 0, (long) packets * mtu);
    }

    Scene atomic(int psn) {
        return request(Opcode.RC_FETCH_ADD, psn, 0, -1);
    }

    private Scene request(Opcode opcode, int psn, int payloadBytes, long readBytes) {
        Bth.write(packet, 0, opcode, false, 0, RIGHT_QPN, !opcode.isFirst() && !opcode.isMiddle(), psn & Psn.MASK);
        if (opcode.hasReth()) {
            packet.setMemory(opcode.rethOffset(), Reth.LENGTH, (byte) 0);
            Reth.write(packet, opcode.rethOffset(), 0x1000, 0x77, (int) readBytes);
        }
        return write(true, opcode.headerLength() + payloadBytes);
    }

    /** Acknowledges up to a PSN, without credits. */
    Scene ack(int psn) {
        return acknowledge(Opcode.RC_ACKNOWLEDGE, psn, Syndrome.ACK_UNLIMITED);
    }

    Scene credits(int psn, int credits) {
        return acknowledge(Opcode.RC_ACKNOWLEDGE, psn, Syndrome.ackWithCredits(credits));
    }

    Scene nak(int psn, int syndrome) {
        return acknowledge(Opcode.RC_ACKNOWLEDGE, psn, syndrome);
    }

    Scene atomicAck(int psn) {
        return acknowledge(Opcode.RC_ATOMIC_ACKNOWLEDGE, psn, Syndrome.ACK_UNLIMITED);
    }

    private Scene acknowledge(Opcode opcode, int psn, int syndrome) {
        header(opcode, psn);
        Aeth.write(packet, opcode.aethOffset(), syndrome, ++messages);
        return write(false, opcode.headerLength());
    }

    /** A gap report: acknowledges up to a PSN; pairs of first PSN and number of packets are missing before the end. */
    Scene report(int ackedPsn, int endPsn, int... gaps) {
        header(Opcode.RC_ACKNOWLEDGE, ackedPsn);
        Aeth.write(packet, Opcode.RC_ACKNOWLEDGE.aethOffset(), Syndrome.ACK_UNLIMITED, ++messages);
        int at = Opcode.RC_ACKNOWLEDGE.headerLength();
        GapReport.write(packet, at, gaps.length / 2, endPsn, 0, 4096);
        for (int i = 0; i < gaps.length; i += 2) {
            GapReport.writeGap(packet, at, i / 2, gaps[i], gaps[i + 1]);
        }
        return write(false, at + GapReport.lengthBytes(gaps.length / 2));
    }

    /** The answers to a READ from one PSN on; those before and behind it in the READ decide between FIRST, MIDDLE, LAST and ONLY. */
    Scene answers(int firstPsn, int count, boolean begins, boolean ends) {
        for (int i = 0; i < count; i++) {
            boolean first = begins && i == 0;
            boolean last = ends && i == count - 1;
            Opcode opcode = first && last ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : first ? Opcode.RC_RDMA_READ_RESPONSE_FIRST
                : last ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
            header(opcode, firstPsn + i);
            if (opcode.hasAeth()) {
                Aeth.write(packet, opcode.aethOffset(), Syndrome.ACK_UNLIMITED, ++messages);
            }
            write(false, opcode.headerLength() + mtu).after(1);
        }
        return this;
    }

    /** A CNP for the requester. */
    Scene notification() {
        header(Opcode.CNP, 0);
        packet.setMemory(Bth.LENGTH, Opcode.CNP.headerLength() - Bth.LENGTH, (byte) 0);
        Bth.notifyBackward(packet, 0);
        return write(false, Opcode.CNP.headerLength());
    }

    private void header(Opcode opcode, int psn) {
        Bth.write(packet, 0, opcode, false, 0, LEFT_QPN, false, psn & Psn.MASK);
    }

    private Scene write(boolean toRight, int bytes) {
        if (marked) {
            Bth.mark(packet, 0);
        }
        Bth.migrationRequest(packet, 0, migrated);
        Icrc.write(packet, bytes, icrc.compute(packet, 0, bytes, toRight ? path.seedThere : path.seedBack, true, 0));
        RoceFrameWriter header = (toRight ? path.there : path.back).trafficClass(congested ? Ecn.CONGESTION_EXPERIENCED : 0);
        try {
            capture.write(nowNs, Direction.UNKNOWN, null, frame, 0, header.write(frame, 0, packet, 0, bytes + Icrc.LENGTH, 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    @Override
    public void close() throws IOException {
        capture.close();
    }
}
