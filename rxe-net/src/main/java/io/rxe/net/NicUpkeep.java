package io.rxe.net;

import io.rxe.net.observe.CaptureFile;
import io.rxe.net.observe.CounterFile;
import io.rxe.net.port.Warnings;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What a NIC needs from outside its loops now and then: its counter file restored, its capture flushed, its loops watched. Any thread. */
final class NicUpkeep {
    private final CounterFile counterFile;
    private final CaptureFile capture;
    private final List<NicLoop> loops;
    private final Warnings warnings;

    /**
     * @param counterFile or null.
     * @param capture     or null.
     * @param loops       may still grow.
     */
    NicUpkeep(CounterFile counterFile, CaptureFile capture, List<NicLoop> loops, Warnings warnings) {
        this.counterFile = counterFile;
        this.capture = capture;
        this.loops = loops;
        this.warnings = warnings;
    }

    /** {@link Watchdog}. */
    void watch() {
        restoreCounters();
        if (capture != null) {
            capture.flush();
        }
        loops.forEach(NicLoop::watch);
    }

    /** Restores the counter file if it was truncated, and warns then. */
    void restoreCounters() {
        if (counterFile != null && counterFile.restore()) {
            warnings.once("counters_truncated", "the counter file " + counterFile.path() + " was truncated by another program; it is"
                + " restored, its counters begin at 0 again, and it shows only queue pairs created from now on; a queue pair that counted"
                + " meanwhile is in ERROR: do not change the file");
        }
    }

    /** For one loop: whether the counter file was truncated since the last question. */
    BooleanSupplier counterFaults() {
        int[] known = {counterFile.restored()};
        return () -> {
            restoreCounters();
            int before = known[0];
            known[0] = counterFile.restored();
            return before != known[0];
        };
    }
}
