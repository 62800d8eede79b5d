package io.rxe.net.drive;

import io.rxe.net.observe.CaptureFile;
import io.rxe.net.observe.CounterFile;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.Warnings;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * What a NIC needs from outside its engines now and then: its counter file restored, its capture flushed, its drivers and interfaces
 * watched. Any thread.
 */
public final class NicUpkeep {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(Watchdog.PERIOD_MS);
    /** Ticks from one look at the files to the next: half a second. */
    private static final int FILE_TICKS = 5;

    private final CounterFile counterFile;
    /** How often the counter file had been restored when the NIC was opened. */
    private final int restoredBefore;
    private final CaptureFile capture;
    private final List<EngineDriver> drivers;
    private final Runnable links;
    private final Warnings warnings;
    /** When {@link #onProgress} is to do it next; MAX_VALUE while a thread does. */
    private final AtomicLong dueNs = new AtomicLong();
    /** Guarded by this. */
    private boolean ended;
    private int ticks;

    /**
     * @param counterFile or null.
     * @param capture     or null.
     * @param links       looks whether the interfaces are up.
     */
    public NicUpkeep(CounterFile counterFile, CaptureFile capture, List<EngineDriver> drivers, Runnable links, Warnings warnings) {
        this.counterFile = counterFile;
        this.restoredBefore = counterFile == null ? 0 : counterFile.restored();
        this.capture = capture;
        this.drivers = drivers;
        this.links = links;
        this.warnings = warnings;
    }

    /** {@link Watchdog}. */
    public void watch() {
        drivers.forEach(EngineDriver::watch);
        links.run();
        if (ticks++ % FILE_TICKS == 0) {
            restoreCounters();
            if (capture != null) {
                capture.flush();
            }
        }
    }

    /**
     * A thread drove, or would have driven, a NIC that no watchdog watches, and is without the engine: now and then does what the watchdog
     * would. Never throws. Any thread.
     *
     * @param nowNs time of {@link SystemClock}.
     */
    void onProgress(long nowNs) {
        // A stale value does it a little later, or is noticed below.
        if (nowNs >= dueNs.getPlain()) {
            watchAt(nowNs);
        }
    }

    private void watchAt(long nowNs) {
        long due = dueNs.get();
        if (nowNs < due || !dueNs.compareAndSet(due, Long.MAX_VALUE)) {
            return;
        }
        try {
            watchUnlessEnded();
        } catch (Throwable e) {
            // As in the watchdog: most likely out of heap, and the next time tries again.
            return;
        } finally {
            dueNs.set(nowNs + PERIOD_NS);
        }
    }

    private synchronized void watchUnlessEnded() {
        if (!ended) {
            watch();
        }
    }

    /** The NIC closes its files: no thread that drove it looks after them any more. */
    public synchronized void end() {
        ended = true;
    }

    /**
     * Restores the counter file if it was truncated. Warns then, and also where another NIC of the process restored the file before this
     * one looked: the counters of this one were lost, too.
     */
    public void restoreCounters() {
        if (counterFile != null && counterFile.restore() != restoredBefore) {
            warnings.once("counters_truncated", "the counter file " + counterFile.path() + " was truncated by another program; it is"
                + " restored, its counters begin at 0 again, and it shows only queue pairs created from now on; a queue pair that counted"
                + " meanwhile is in ERROR: do not change the file");
        }
    }

    /** For one engine: whether the counter file was truncated since the last question. */
    BooleanSupplier counterFaults() {
        if (counterFile == null) {
            return () -> false;
        }
        int[] known = {counterFile.restored()};
        return () -> {
            restoreCounters();
            int before = known[0];
            known[0] = counterFile.restored();
            return before != known[0];
        };
    }
}
