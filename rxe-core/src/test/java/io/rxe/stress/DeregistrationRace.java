package io.rxe.stress;

import io.rxe.port.Flow;
import io.rxe.verbs.MemoryRegion;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** Deregistration: a WRITE that races with the close of its region lands before close returns, or not at all. */
final class DeregistrationRace extends Race {
    private static final Flow FLOW = new Flow(StressNic.PEER, StressNic.OWN, 0xC000, 4791);
    private static final byte OLD = 1;
    private static final byte WRITTEN = 2;
    private static final byte OWN = 3;

    private final Icrc icrc = new Icrc();
    private final UnsafeBuffer packet = new UnsafeBuffer(new byte[64]);
    private StressNic nic;
    private MemoryRegion region;
    private int psn = StressNic.PSN;
    private int lengthBytes;
    private byte atClose;
    private volatile boolean closed;

    DeregistrationRace() {
        super("deregistration", Map.of("written before close", Expectation.INTERESTING, "refused", Expectation.ACCEPTABLE));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
        }
        nic.memory.put(0, OLD);
        region = nic.register();
        closed = false;
        Opcode opcode = Opcode.UC_RDMA_WRITE_ONLY;
        Bth.write(packet, 0, opcode, false, 0, nic.pair.number(), false, psn);
        psn = psn + 1 & 0xFF_FFFF;
        Reth.write(packet, opcode.rethOffset(), region.address(), region.rKey(), 4);
        packet.setMemory(opcode.headerLength(), 4, WRITTEN);
        int covered = opcode.headerLength() + 4;
        Icrc.write(packet, covered, icrc.compute(packet, 0, covered, FLOW.icrcSeed(), true, 0));
        lengthBytes = covered + Icrc.LENGTH;
    }

    @Override
    protected void first() {
        try {
            region.close();
            // From here on the memory belongs to the application alone.
            atClose = nic.memory.get(0);
            nic.memory.put(0, OWN);
        } finally {
            closed = true;
        }
    }

    @Override
    protected void second() {
        nic.receive(packet, lengthBytes, FLOW);
        nic.poll();
        RaceRun.await(() -> {
            nic.runCommand();
            return closed;
        });
    }

    @Override
    protected String outcome() {
        if (nic.memory.get(0) != OWN) {
            return "written after close";
        }
        return atClose == WRITTEN ? "written before close" : atClose == OLD ? "refused" : "memory of another round";
    }
}
