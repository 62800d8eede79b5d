package io.rxe.fuzz;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What Jazzer calls; {@link #main} writes the seeds of a target, and finds the inputs that still fail. */
public final class FuzzEntry {
    private static FuzzTarget target;

    private FuzzEntry() {
    }

    /** Jazzer: before the first input; the argument names the target's class. */
    public static void fuzzerInitialize(String[] arguments) throws Exception {
        target = open(arguments[0]);
        // Loads and instruments most classes, which takes long and must not count as the first input's time.
        for (byte[] seed : target.seeds()) {
            target.run(seed);
        }
    }

    /** Jazzer: one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        target.run(input);
    }

    /** Arguments: {@code seeds} or {@code failing}, class of the target, folder. */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        FuzzTarget opened = open(arguments[1]);
        Path folder = Files.createDirectories(Path.of(arguments[2]));
        switch (arguments[0]) {
            case "seeds" -> writeSeeds(opened, folder);
            case "failing" -> printFailing(opened, folder);
            default -> throw new IllegalArgumentException("'" + arguments[0] + "' is neither seeds nor failing");
        }
    }

    private static void writeSeeds(FuzzTarget opened, Path folder) throws IOException {
        List<byte[]> seeds = opened.seeds();
        for (int i = 0; i < seeds.size(); i++) {
            Files.write(folder.resolve(String.format("seed-%04d", i)), seeds.get(i));
        }
    }

    /** Prints the files of a folder that break an invariant. */
    private static void printFailing(FuzzTarget opened, Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                try {
                    opened.run(Files.readAllBytes(file));
                } catch (Exception | AssertionError e) {
                    System.out.println(file.getFileName());
                }
            }
        }
    }

    private static FuzzTarget open(String name) throws ReflectiveOperationException {
        Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
        constructor.setAccessible(true);
        return (FuzzTarget) constructor.newInstance();
    }
}
