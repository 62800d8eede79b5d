package io.rxe.stress;

import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.RegionChange;
import java.util.Map;

/** Re-registration: a region that is closed meanwhile is closed, and its domain forgets it. */
final class ReregistrationRace extends Race {
    private StressNic nic;
    private MemoryRegion region;
    private String empty;
    private volatile boolean closed;
    private boolean refused;

    ReregistrationRace() {
        super("re-registration and close", Map.of("changed and closed", Expectation.ACCEPTABLE, "closed", Expectation.ACCEPTABLE));
    }

    @Override
    protected void prepare() {
        if (nic == null) {
            nic = new StressNic(null);
            empty = nic.domain.toString();
        }
        region = nic.register();
        closed = false;
        refused = false;
    }

    @Override
    protected void first() {
        try {
            region.close();
        } finally {
            closed = true;
        }
    }

    @Override
    protected void second() {
        try {
            region.reregister(RegionChange.none().access(0));
        } catch (IllegalStateException e) {
            refused = true;
        }
        RaceRun.await(() -> {
            nic.runCommand();
            return closed;
        });
    }

    @Override
    protected String outcome() {
        return !nic.domain.toString().equals(empty) ? "left in its domain" : refused ? "closed" : "changed and closed";
    }
}
