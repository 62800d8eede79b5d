package io.rxe.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Transport;
import io.rxe.wire.XrcEth;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the datagrams of the fuzz target reach. */
class DatagramFuzzTest {
    private final OpenNic nic = new OpenNic();

    @Test
    @DisplayName("X1: a request of XRC is aimed at the target, a response at the initiator, and RC at its one queue pair")
    void packetsOfXrcReachTheirHalf() {
        for (Opcode opcode : Opcode.values()) {
            UnsafeBuffer packet = new UnsafeBuffer(new byte[opcode.headerLength() + Icrc.LENGTH]);
            Bth.write(packet, 0, opcode, false, 0, 0x11, true, OpenNic.PSN);
            DatagramFuzz.aim(nic, packet, 0);
            QueuePair expected = opcode.transport() != Transport.XRC ? nic.reliable : opcode.isRequest() ? nic.target : nic.initiator;
            assertEquals(expected.number(), Bth.destinationQpn(packet, 0), opcode.name());
        }
        nic.close();
    }

    @Test
    @DisplayName("X2, R20: an ATOMIC_WRITE over XRC is executed; one that names a queue of a domain without memory ends the target")
    void anAtomicWriteOverXrcIsExecuted() {
        long accepted = nic.accepted();
        atomicWrite(OpenNic.PSN, nic.queueNumber(true));
        assertEquals(accepted + 1, nic.accepted());
        assertEquals(QueuePairState.RTS, nic.target.state());
        atomicWrite(OpenNic.PSN + 1, nic.queueNumber(false));
        assertEquals(QueuePairState.ERROR, nic.target.state());
        nic.revive();
        assertEquals(QueuePairState.RTS, nic.target.state());
        assertTrue(nic.initiator.state() == QueuePairState.RTS, nic.initiator::toString);
        nic.close();
    }

    private void atomicWrite(int psn, int queueNumber) {
        Opcode opcode = Opcode.XRC_ATOMIC_WRITE;
        UnsafeBuffer packet = new UnsafeBuffer(new byte[opcode.headerLength() + Long.BYTES + Icrc.LENGTH]);
        Bth.write(packet, 0, opcode, false, 0, nic.target.number(), true, psn);
        XrcEth.write(packet, opcode.xrcEthOffset(), queueNumber);
        Reth.write(packet, opcode.rethOffset(), nic.address(), nic.key(), Long.BYTES);
        nic.receive(packet.byteArray(), OpenNic.PEER, true);
        nic.rest();
    }
}
