package io.rxe.stress;

import java.util.List;
import java.util.function.Supplier;

/** Runs races for a given time each and prints their outcomes; exit status 1 when one is forbidden. */
public final class StressMain {
    private StressMain() {
    }

    /** Arguments: seconds for each race, then classes that supply races. */
    public static void main(String[] arguments) throws Exception {
        long nanoseconds = Long.parseLong(arguments[0]) * 1_000_000_000L;
        boolean sound = true;
        System.out.printf("Java %s, %d processors%n", Runtime.version(), Runtime.getRuntime().availableProcessors());
        for (int i = 1; i < arguments.length; i++) {
            for (Race race : races(arguments[i])) {
                long end = System.nanoTime() + nanoseconds;
                RaceRun run = RaceRun.of(race, () -> System.nanoTime() - end >= 0);
                System.out.print(run.report());
                sound &= run.isSound();
                if (run.overlaps() == 0) {
                    System.out.println("  no round overlapped: it shows little");
                }
            }
        }
        System.exit(sound ? 0 : 1);
    }

    @SuppressWarnings("unchecked")
    private static List<Race> races(String name) throws ReflectiveOperationException {
        return ((Supplier<List<Race>>) Class.forName(name).getDeclaredConstructor().newInstance()).get();
    }
}
