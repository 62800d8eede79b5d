package io.rxe.qp;

import io.rxe.port.Flow;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Feth;
import io.rxe.wire.GapReport;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.PacketText;
import io.rxe.wire.Reth;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A frame our side emitted.
 *
 * @param bytes BTH to ICRC.
 * @param flow  where it went.
 * @param atNs  virtual time of the commit.
 */
record SentFrame(byte[] bytes, Flow flow, long atNs) {
    UnsafeBuffer buffer() {
        return new UnsafeBuffer(bytes);
    }

    Opcode opcode() {
        return Opcode.of(Bth.opcode(buffer(), 0));
    }

    int psn() {
        return Bth.psn(buffer(), 0);
    }

    int destinationQpn() {
        return Bth.destinationQpn(buffer(), 0);
    }

    boolean isAckRequested() {
        return Bth.isAckRequested(buffer(), 0);
    }

    boolean isMarked() {
        return Bth.isMarked(buffer(), 0);
    }

    int hostDelay() {
        return Bth.hostDelay(buffer(), 0);
    }

    int requestWait() {
        return Bth.requestWait(buffer(), 0);
    }

    int readRate() {
        return Bth.readRate(buffer(), 0);
    }

    boolean isRepeated() {
        return Bth.isRepeated(buffer(), 0);
    }

    /** The gap report behind the AETH, as "10+3 20+1 end 42 duplicates 2 room 4096"; empty without one. */
    String report() {
        int at = opcode().headerLength();
        if (!opcode().isAck() || payloadLength() == 0) {
            return "";
        }
        if (!GapReport.isValid(buffer(), at, payloadLength())) {
            return "malformed";
        }
        StringBuilder text = new StringBuilder();
        for (int gap = 0; gap < GapReport.gaps(buffer(), at); gap++) {
            text.append(Integer.toHexString(GapReport.firstPsn(buffer(), at, gap))).append('+')
                .append(GapReport.packets(buffer(), at, gap)).append(' ');
        }
        return text + "end " + Integer.toHexString(GapReport.endPsn(buffer(), at)) + " duplicates " + GapReport.duplicates(buffer(), at)
            + " room " + GapReport.room(buffer(), at);
    }

    boolean isMigrationRequest() {
        return Bth.isMigrationRequest(buffer(), 0);
    }

    boolean isSolicited() {
        return Bth.isSolicited(buffer(), 0);
    }

    /** Whether its ICRC is the one of rdma_rxe over a FLUSH. */
    boolean isCoveredTwice() {
        int covered = bytes.length - Icrc.LENGTH;
        return Icrc.read(buffer(), covered) != new Icrc().compute(buffer(), 0, covered, flow.icrcSeed(), flow.isIpv4(), 0);
    }

    int syndrome() {
        return Aeth.syndrome(buffer(), opcode().aethOffset());
    }

    int msn() {
        return Aeth.messageSequenceNumber(buffer(), opcode().aethOffset());
    }

    long address() {
        return opcode().hasReth() ? Reth.virtualAddress(buffer(), opcode().rethOffset())
            : AtomicEth.virtualAddress(buffer(), opcode().atomicEthOffset());
    }

    int key() {
        return opcode().hasReth() ? Reth.rKey(buffer(), opcode().rethOffset())
            : opcode().hasIeth() ? Ieth.rKey(buffer(), opcode().iethOffset())
            : AtomicEth.rKey(buffer(), opcode().atomicEthOffset());
    }

    long dmaLength() {
        return Reth.dmaLength(buffer(), opcode().rethOffset());
    }

    long swapOrAdd() {
        return AtomicEth.swapOrAdd(buffer(), opcode().atomicEthOffset());
    }

    long compare() {
        return AtomicEth.compare(buffer(), opcode().atomicEthOffset());
    }

    int immediate() {
        return ImmDt.immediateData(buffer(), opcode().immDtOffset());
    }

    long originalValue() {
        return AtomicAckEth.originalValue(buffer(), opcode().atomicAckEthOffset());
    }

    int flushType() {
        return Feth.placementType(buffer(), opcode().fethOffset());
    }

    int flushLevel() {
        return Feth.selectivityLevel(buffer(), opcode().fethOffset());
    }

    int payloadLength() {
        return HeaderValidator.payloadLength(buffer(), 0, bytes.length, opcode());
    }

    byte[] payload() {
        int from = opcode().headerLength();
        return Arrays.copyOfRange(bytes, from, from + payloadLength());
    }

    @Override
    public String toString() {
        return PacketText.of(buffer(), 0, bytes.length);
    }
}
