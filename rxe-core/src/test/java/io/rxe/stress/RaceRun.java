package io.rxe.stress;

import io.rxe.stress.Race.Expectation;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Rounds of one race. Both threads wait for each other by spinning, so they start within some nanoseconds; a delay that changes with
 * every round shifts one actor against the other.
 */
public final class RaceRun {
    /** Times the condition is checked before a pause: the other thread may have no processor. */
    private static final int SPINS = 2000;
    /** A thread that sleeps now and then is let in at once when it wakes, so both get a processor at the same time on a busy machine. */
    private static final long PAUSE_NS = 20_000;
    /** The longest delay of an actor is two to this power, in spins: some microseconds, longer than any actor runs. */
    private static final int DELAY_POWERS = 13;

    private final Race race;
    private final Map<String, Long> counts = new TreeMap<>();
    /** Rounds that are prepared, that the first actor waits for, that have begun, and that the first actor has finished. */
    private final AtomicLong prepared = new AtomicLong();
    private final AtomicLong awaited = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong finished = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean over;
    private volatile int sink;
    private long rounds;

    private RaceRun(Race race) {
        this.race = race;
    }

    /** Runs at least one round, until {@code isEnough}, which is asked before each, or until something forbidden happens. */
    public static RaceRun of(Race race, BooleanSupplier isEnough) throws Exception {
        RaceRun run = new RaceRun(race);
        run.runAll(isEnough);
        return run;
    }

    private void runAll(BooleanSupplier isEnough) throws Exception {
        Thread thread = new Thread(this::runFirst, "race-" + race.name());
        thread.setDaemon(true);
        thread.start();
        try {
            do {
                race.prepare();
                long round = ++rounds;
                prepared.set(round);
                await(awaited, round);
                begun.set(round);
                delay(round * 0x9E3779B97F4A7C15L >>> 40);
                race.second();
                await(finished, round);
                counts.merge(race.outcome(), 1L, Long::sum);
            } while (isSound() && !isEnough.getAsBoolean());
        } finally {
            over = true;
            prepared.incrementAndGet();
            thread.join();
            race.close();
        }
        if (failure.get() != null) {
            throw new IllegalStateException(race.name() + ": the first actor failed", failure.get());
        }
    }

    private void runFirst() {
        long round = 1;
        try {
            while (true) {
                await(prepared, round);
                if (over) {
                    return;
                }
                awaited.set(round);
                await(begun, round);
                delay(round * 0xD1B54A32D192ED03L >>> 40);
                race.first();
                finished.set(round++);
            }
        } catch (Throwable e) {
            failure.set(e);
            awaited.set(Long.MAX_VALUE);
            finished.set(Long.MAX_VALUE);
        }
    }

    private static void await(AtomicLong position, long wanted) {
        await(() -> position.get() >= wanted);
    }

    /** Waits as the actors wait for each other. */
    static void await(BooleanSupplier condition) {
        for (int spins = 1; !condition.getAsBoolean(); spins++) {
            if (spins % SPINS == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** All orders of magnitude are equally likely, because actors take from nanoseconds to microseconds. */
    private void delay(long random) {
        int length = (int) (random >>> 4) & (1 << (int) ((random & 0xF) % DELAY_POWERS)) - 1;
        int work = 0;
        for (int i = 0; i < length; i++) {
            work += i ^ sink;
        }
        sink = work;
    }

    public Race race() {
        return race;
    }

    public long rounds() {
        return rounds;
    }

    /** Rounds of each outcome. */
    public Map<String, Long> counts() {
        return Map.copyOf(counts);
    }

    /** Whether every outcome was one that was declared. */
    public boolean isSound() {
        return failure.get() == null && counts.keySet().stream().allMatch(outcome -> race.expectation(outcome) != null);
    }

    /** Rounds whose outcome proves that the actors overlapped. */
    public long overlaps() {
        return counts.entrySet().stream().filter(entry -> race.expectation(entry.getKey()) == Expectation.INTERESTING)
            .mapToLong(Map.Entry::getValue).sum();
    }

    /** One line for each outcome. */
    public String report() {
        StringBuilder text = new StringBuilder(String.format("%s: %,d rounds%n", race.name(), rounds));
        counts.forEach((outcome, count) -> {
            Expectation expectation = race.expectation(outcome);
            text.append(String.format("  %-44s %,15d  %s%n", outcome, count, expectation == null ? "FORBIDDEN" : expectation));
        });
        return text.toString();
    }
}
