package io.rxe.stress;

import io.rxe.port.Flow;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.RegionChange;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Deregistration and re-registration: a WRITE that races with the close of its region, or with its move to other memory, lands in the
 * memory before that call returns, or not at all.
 */
final class DeregistrationRace extends Race {
    private static final Flow FLOW = new Flow(StressNic.PEER, StressNic.OWN, 0xC000, 4791);
    private static final byte OLD = 1;
    private static final byte WRITTEN = 2;
    private static final byte OWN = 3;

    private final Icrc icrc = new Icrc();
    private final UnsafeBuffer packet = new UnsafeBuffer(new byte[64]);
    private final Consumer<MemoryRegion> takeAway;
    private StressNic nic;
    private MemoryRegion region;
    private int psn = StressNic.PSN;
    private int lengthBytes;
    private byte atClose;
    private volatile boolean closed;

    /** @param takeAway takes the memory from the region. */
    DeregistrationRace(String name, Consumer<MemoryRegion> takeAway) {
        super(name, Map.of("written before close", Expectation.INTERESTING, "refused", Expectation.ACCEPTABLE));
        this.takeAway = takeAway;
    }

    /** The region is closed. */
    static DeregistrationRace closing() {
        return new DeregistrationRace("deregistration", MemoryRegion::close);
    }

    /** The region moves to other memory. */
    static DeregistrationRace moving() {
        ByteBuffer other = ByteBuffer.allocateDirect(Long.BYTES);
        return new DeregistrationRace("re-registration",
            region -> region.reregister(RegionChange.none().memory(region.address(), other)));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
        }
        nic.memory.put(0, OLD);
        if (region != null) {
            region.close();
        }
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
            takeAway.accept(region);
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
