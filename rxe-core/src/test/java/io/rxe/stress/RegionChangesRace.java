package io.rxe.stress;

import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.RegionChange;
import java.util.Map;

/** Two re-registrations of one region, of its rights and of its address: both stay. */
final class RegionChangesRace extends Race {
    private StressNic nic;
    private MemoryRegion region;
    private volatile boolean changed;

    RegionChangesRace() {
        super("re-registrations of one region", Map.of("both", Expectation.ACCEPTABLE));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
        }
        if (region != null) {
            region.close();
        }
        region = nic.register();
        changed = false;
    }

    @Override
    protected void first() {
        try {
            region.reregister(RegionChange.none().access(0));
        } finally {
            changed = true;
        }
    }

    @Override
    protected void second() {
        region.reregister(RegionChange.none().memory(0, nic.memory));
        RaceRun.await(() -> {
            nic.runCommand();
            return changed;
        });
    }

    @Override
    protected String outcome() {
        return region.access() != 0 ? "rights lost" : region.address() != 0 ? "address lost" : "both";
    }
}
