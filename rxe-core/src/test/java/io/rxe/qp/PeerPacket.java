package io.rxe.qp;

import io.rxe.port.Flow;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Feth;
import io.rxe.wire.GapReport;
import io.rxe.wire.HeaderField;
import io.rxe.wire.Icrc;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A packet of the scripted peer, valid or not as the test needs it. Requests address the memory of {@link Trace}; their payload is a
 * pattern that depends on the PSN ({@link #payloadByte}).
 */
final class PeerPacket {
    private final int code;
    private final Opcode opcode;
    private final int psn;
    private final List<Consumer<UnsafeBuffer>> changes = new ArrayList<>();
    private byte[] payload = new byte[0];
    private int padCount = -1;
    private boolean ackRequested;
    private boolean solicited;
    private long address = Trace.BASE;
    private int key = Trace.KEY;
    private long dmaLength = -1;
    private int syndrome = Syndrome.ACK_UNLIMITED;
    private int msn;
    private int immediate = 0xCAFE;
    private long swapOrAdd = 1;
    private long compare;
    private long originalValue;
    private int flushType;
    private int flushLevel;
    private boolean badIcrc;
    private int cutTo = -1;

    private PeerPacket(int code, Opcode opcode, int psn) {
        this.code = code;
        this.opcode = opcode;
        this.psn = psn;
    }

    static PeerPacket of(Opcode opcode, int psn, int payloadLength) {
        return new PeerPacket(opcode.code(), opcode, psn).payload(payloadLength);
    }

    /** A packet with any opcode byte, defined or not, in the shape of a SEND ONLY. */
    static PeerPacket ofCode(int code, int psn, int payloadLength) {
        return new PeerPacket(code, Opcode.RC_SEND_ONLY, psn).payload(payloadLength);
    }

    static PeerPacket sendOnly(int psn, int length) {
        return of(Opcode.RC_SEND_ONLY, psn, length);
    }

    static PeerPacket sendFirst(int psn, int length) {
        return of(Opcode.RC_SEND_FIRST, psn, length);
    }

    static PeerPacket sendMiddle(int psn, int length) {
        return of(Opcode.RC_SEND_MIDDLE, psn, length);
    }

    static PeerPacket sendLast(int psn, int length) {
        return of(Opcode.RC_SEND_LAST, psn, length);
    }

    static PeerPacket writeOnly(int psn, int length) {
        return of(Opcode.RC_RDMA_WRITE_ONLY, psn, length);
    }

    /** The first packet of a WRITE of {@code total} bytes. */
    static PeerPacket writeFirst(int psn, int length, long total) {
        return of(Opcode.RC_RDMA_WRITE_FIRST, psn, length).dmaLength(total);
    }

    static PeerPacket writeMiddle(int psn, int length) {
        return of(Opcode.RC_RDMA_WRITE_MIDDLE, psn, length);
    }

    static PeerPacket writeLast(int psn, int length) {
        return of(Opcode.RC_RDMA_WRITE_LAST, psn, length);
    }

    static PeerPacket writeOnlyImmediate(int psn, int length) {
        return of(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, psn, length);
    }

    static PeerPacket read(int psn, long length) {
        return of(Opcode.RC_RDMA_READ_REQUEST, psn, 0).dmaLength(length).ackReq();
    }

    static PeerPacket fetchAdd(int psn, long addend) {
        PeerPacket packet = of(Opcode.RC_FETCH_ADD, psn, 0).ackReq();
        packet.swapOrAdd = addend;
        return packet;
    }

    static PeerPacket compareSwap(int psn, long compare, long swap) {
        PeerPacket packet = of(Opcode.RC_COMPARE_SWAP, psn, 0).ackReq();
        packet.swapOrAdd = swap;
        packet.compare = compare;
        return packet;
    }

    /** An ATOMIC_WRITE of eight bytes. */
    static PeerPacket atomicWrite(int psn) {
        return of(Opcode.RC_ATOMIC_WRITE, psn, Long.BYTES).ackReq();
    }

    static PeerPacket flush(int psn, long length, int type, int level) {
        PeerPacket packet = of(Opcode.RC_FLUSH, psn, 0).dmaLength(length).ackReq();
        packet.flushType = type;
        packet.flushLevel = level;
        return packet;
    }

    static PeerPacket ackOf(int psn) {
        return of(Opcode.RC_ACKNOWLEDGE, psn, 0);
    }

    static PeerPacket nakOf(int psn, int syndrome) {
        return of(Opcode.RC_ACKNOWLEDGE, psn, 0).syndrome(syndrome);
    }

    static PeerPacket rnrOf(int psn, int timerCode) {
        return of(Opcode.RC_ACKNOWLEDGE, psn, 0).syndrome(Syndrome.rnr(timerCode));
    }

    static PeerPacket readFirst(int psn, int length) {
        return of(Opcode.RC_RDMA_READ_RESPONSE_FIRST, psn, length);
    }

    static PeerPacket readMiddle(int psn, int length) {
        return of(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, psn, length);
    }

    static PeerPacket readLast(int psn, int length) {
        return of(Opcode.RC_RDMA_READ_RESPONSE_LAST, psn, length);
    }

    static PeerPacket readOnly(int psn, int length) {
        return of(Opcode.RC_RDMA_READ_RESPONSE_ONLY, psn, length);
    }

    static PeerPacket atomicAckOf(int psn, long original) {
        PeerPacket packet = of(Opcode.RC_ATOMIC_ACKNOWLEDGE, psn, 0);
        packet.originalValue = original;
        return packet;
    }

    /** The byte at an index of the peer's payload. */
    static byte payloadByte(int psn, int index) {
        return (byte) (psn * 37 + index * 11 + (index >> 8));
    }

    /** The payload of every request with this PSN. */
    static byte[] payloadOf(int psn, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = payloadByte(psn, i);
        }
        return bytes;
    }

    private PeerPacket payload(int length) {
        payload = payloadOf(psn, length);
        return this;
    }

    PeerPacket payload(byte... bytes) {
        payload = bytes;
        return this;
    }

    PeerPacket ackReq() {
        ackRequested = true;
        return this;
    }

    PeerPacket noAckReq() {
        ackRequested = false;
        return this;
    }

    /** With the mark: the peer knows gap reports. */
    PeerPacket marked() {
        return change(buffer -> Bth.mark(buffer, 0));
    }

    /** Says that the peer sends it several times. */
    PeerPacket repeated() {
        return change(buffer -> Bth.repeated(buffer, 0));
    }

    /**
     * With the mark and a gap report.
     *
     * @param gapsAndEnd as {@link SentFrame#report} writes them: "101+1 103+2 end 106".
     */
    PeerPacket report(String gapsAndEnd, int duplicates, int room) {
        String[] words = gapsAndEnd.split(" ");
        int gaps = words.length - 2;
        UnsafeBuffer report = new UnsafeBuffer(new byte[GapReport.lengthBytes(gaps)]);
        GapReport.write(report, 0, gaps, Integer.parseInt(words[gaps + 1], 16), duplicates, room);
        for (int gap = 0; gap < gaps; gap++) {
            String[] numbers = words[gap].split("\\+");
            GapReport.writeGap(report, 0, gap, Integer.parseInt(numbers[0], 16), Integer.parseInt(numbers[1]));
        }
        return marked().payload(report.byteArray());
    }

    /** With the mark and a gap report of a receiver that has much room and got nothing twice. */
    PeerPacket report(String gapsAndEnd) {
        return report(gapsAndEnd, 0, 1 << 16);
    }

    /** With MigReq 1: the peer has migrated. */
    PeerPacket migReq() {
        return change(buffer -> Bth.migrationRequest(buffer, 0, true));
    }

    PeerPacket solicited() {
        solicited = true;
        return this;
    }

    PeerPacket at(long newAddress) {
        address = newAddress;
        return this;
    }

    PeerPacket key(int newKey) {
        key = newKey;
        return this;
    }

    PeerPacket dmaLength(long length) {
        dmaLength = length;
        return this;
    }

    PeerPacket pad(int count) {
        padCount = count;
        return this;
    }

    PeerPacket syndrome(int newSyndrome) {
        syndrome = newSyndrome;
        return this;
    }

    PeerPacket credits(int code) {
        return syndrome(code);
    }

    PeerPacket msn(int newMsn) {
        msn = newMsn;
        return this;
    }

    PeerPacket immediate(int value) {
        immediate = value;
        return this;
    }

    PeerPacket badIcrc() {
        badIcrc = true;
        return this;
    }

    /** Cuts the datagram, with its ICRC, to this many bytes. */
    PeerPacket cutTo(int length) {
        cutTo = length;
        return this;
    }

    /** Changes header bytes before the ICRC is computed; the BTH is at 0. */
    PeerPacket change(Consumer<UnsafeBuffer> change) {
        changes.add(change);
        return this;
    }

    boolean isGood() {
        return !badIcrc && cutTo < 0 && code == opcode.code();
    }

    /** BTH to ICRC, as sent by a peer whose IP layer chose this identification. */
    byte[] encode(int destinationQpn, Flow flow, int ipId) {
        int pad = padCount >= 0 ? padCount : -payload.length & 3;
        int covered = opcode.headerLength() + payload.length + pad;
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[covered + Icrc.LENGTH]);
        Bth.write(buffer, 0, opcode, solicited, pad, destinationQpn, ackRequested, psn);
        HeaderField.BTH_OPCODE.set(buffer, 0, code);
        if (opcode.hasReth()) {
            Reth.write(buffer, opcode.rethOffset(), address, key, dmaLength >= 0 ? dmaLength : payload.length);
        }
        if (opcode.hasAeth()) {
            Aeth.write(buffer, opcode.aethOffset(), syndrome, msn);
        }
        if (opcode.hasFeth()) {
            Feth.write(buffer, opcode.fethOffset(), flushType, flushLevel);
        }
        if (opcode.hasAtomicEth()) {
            AtomicEth.write(buffer, opcode.atomicEthOffset(), address, key, swapOrAdd, compare);
        }
        if (opcode.hasAtomicAckEth()) {
            AtomicAckEth.write(buffer, opcode.atomicAckEthOffset(), originalValue);
        }
        if (opcode.hasImmDt()) {
            ImmDt.write(buffer, opcode.immDtOffset(), immediate);
        }
        if (opcode.hasIeth()) {
            Ieth.write(buffer, opcode.iethOffset(), key);
        }
        buffer.putBytes(opcode.headerLength(), payload);
        changes.forEach(change -> change.accept(buffer));
        int icrc = new Icrc().compute(buffer, 0, covered, flow.icrcSeed(), flow.isIpv4(), ipId);
        Icrc.write(buffer, covered, badIcrc ? icrc ^ 0x00100000 : icrc);
        byte[] bytes = buffer.byteArray();
        return cutTo < 0 ? bytes : Arrays.copyOf(bytes, cutTo);
    }

    @Override
    public String toString() {
        return opcode + " " + Integer.toHexString(psn);
    }
}
