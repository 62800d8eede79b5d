package io.rxe.model;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One search of the model: spin writes a program, the C compiler translates it, and the program visits every state.
 *
 * @param states      different states visited.
 * @param transitions steps tried.
 * @param depth       of the longest path.
 * @param seconds     of the search, without spin and compiler.
 * @param complete    whether every state was visited.
 * @param error       what the comment behind the assertion that fails says, or null when there is no error.
 */
record ModelRun(long states, long transitions, int depth, double seconds, boolean complete, String error) {
    private static final Path MODEL = Path.of("src/test/promela/reliable_connection.pml");
    private static final int MEGABYTES = 4096;
    private static final int MAX_DEPTH = 100_000;
    private static final long MAX_MINUTES = 30;
    private static final Pattern STATES = Pattern.compile("(?m)^\\s*(\\S+) states, stored");
    private static final Pattern TRANSITIONS = Pattern.compile("(?m)^\\s*(\\S+) transitions");
    private static final Pattern DEPTH = Pattern.compile("depth reached (\\d+)");
    private static final Pattern ERRORS = Pattern.compile("errors: (\\d+)");
    private static final Pattern ELAPSED = Pattern.compile("elapsed time (\\S+) seconds");
    private static final Pattern ERROR = Pattern.compile("(?m)^pan:\\d+: (.*) \\(at depth \\d+\\)$");

    private static final Pattern LINE = Pattern.compile(":(\\d+), Error: assertion violated");
    private static final Pattern COMMENT = Pattern.compile("assert\\(.*/\\* (.*) \\*/$");

    /** The program of this list that is not on the PATH, or null when all are there. */
    static String missingProgram() {
        for (String program : List.of("spin", "cc")) {
            boolean isFound = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
            if (!isFound) {
                return program;
            }
        }
        return null;
    }

    /**
     * Searches the model in a temporary folder. The working directory is that of the module.
     *
     * @param defines names for the preprocessor, each with or without a value.
     */
    static ModelRun of(List<String> defines) throws IOException, InterruptedException {
        return of(defines, false);
    }

    /**
     * As {@link #of(List)}, or looks for a run without an end: for a state that is reached again. Together with the search for states
     * without a step that shows that everything completes.
     */
    static ModelRun of(List<String> defines, boolean forCycles) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("rxe-model");
        try {
            String log = run(folder, spin(defines, "-a"));
            if (!Files.exists(folder.resolve("pan.c")) || log.contains("Error")) {
                throw new IOException("spin does not accept the model with " + defines + ":\n" + log);
            }
            // Almost every step touches the networks, so partial-order reduction costs more than it saves.
            log = run(folder, List.of("cc", "-O2", "-w", forCycles ? "-DNP" : "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=" + MEGABYTES,
                "-o", "pan", "pan.c"));
            if (!Files.exists(folder.resolve("pan"))) {
                throw new IOException("cc cannot compile what spin wrote:\n" + log);
            }
            List<String> search = new ArrayList<>(List.of("./pan", "-n", "-m" + MAX_DEPTH));
            if (forCycles) {
                search.add("-l");
            }
            ModelRun result = parse(run(folder, search));
            return result.error == null ? result : result.explained(run(folder, replay(defines)));
        } finally {
            delete(folder);
        }
    }

    private static List<String> spin(List<String> defines, String... options) {
        List<String> command = new ArrayList<>(List.of("spin"));
        defines.forEach(define -> command.add("-D" + define));
        command.addAll(List.of(options));
        command.add(MODEL.toAbsolutePath().toString());
        return command;
    }

    /** Follows the trail of the error, which ends with its line. */
    private static List<String> replay(List<String> defines) {
        return spin(defines, "-t", "-k", MODEL.getFileName() + ".trail");
    }

    /** With what the model says of the assertion: the comment on its line. */
    private ModelRun explained(String trail) throws IOException {
        Matcher line = LINE.matcher(trail);
        String text = error;
        if (line.find()) {
            Matcher comment = COMMENT.matcher(Files.readAllLines(MODEL).get(Integer.parseInt(line.group(1)) - 1));
            text = comment.find() ? comment.group(1) : error;
        } else if (error.startsWith("invalid end state")) {
            text = "no step is left, and not every message is complete";
        }
        return new ModelRun(states, transitions, depth, seconds, complete, text);
    }

    private static String run(Path folder, List<String> command) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
            .redirectOutput(log.toFile()).start();
        try {
            if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException(String.join(" ", command) + " takes longer than " + MAX_MINUTES + " minutes");
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(log);
    }

    private static ModelRun parse(String log) throws IOException {
        if (!log.contains("errors: ")) {
            throw new IOException("the search ended without a result:\n" + log);
        }
        Matcher error = ERROR.matcher(log);
        boolean isError = !find(ERRORS, log).equals("0");
        boolean complete = !isError && !log.contains("max search depth too small") && !log.contains("out of memory")
            && !log.contains("Search not completed");
        return new ModelRun((long) Double.parseDouble(find(STATES, log)), (long) Double.parseDouble(find(TRANSITIONS, log)),
            Integer.parseInt(find(DEPTH, log)), Double.parseDouble(find(ELAPSED, log)), complete,
            isError ? error.find() ? error.group(1) : "error without a name" : null);
    }

    private static String find(Pattern pattern, String log) throws IOException {
        Matcher matcher = pattern.matcher(log);
        if (!matcher.find()) {
            throw new IOException("no \"" + pattern + "\" in:\n" + log);
        }
        return matcher.group(1);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
