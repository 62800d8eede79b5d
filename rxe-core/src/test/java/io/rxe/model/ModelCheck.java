package io.rxe.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks the model of a reliable connection: visits every state of each configuration, which must show no error, and then plants each
 * defect alone, which must show one. Exit status 1 when a configuration has an error, a search was not exhaustive, or a defect was not
 * found; 2 when spin or cc is missing.
 *
 * <pre>
 *   tools/dev/test-main rxe-core io.rxe.model.ModelCheck                 the configurations, then the defects
 *   tools/dev/test-main rxe-core io.rxe.model.ModelCheck defects         the defects alone
 * </pre>
 */
public final class ModelCheck {
    private int failures;

    private ModelCheck() {
    }

    /**
     * A search without a defect.
     *
     * @param name     for the table.
     * @param receiver what the responder does behind a gap.
     * @param defines  further names for the preprocessor.
     * @param cycles   whether it looks for a run without an end.
     */
    record Configuration(String name, Receiver receiver, List<String> defines, boolean cycles) {
        /** Four messages, each of one to three packets; any number of faults. Says nothing of progress. */
        static Configuration anyFaults(Receiver receiver) {
            return new Configuration("any number of faults, messages of 1 to 3 packets", receiver, List.of("UNLIMITED"), false);
        }

        /** Four messages of three, one, two and three packets; one fault, and any disorder. */
        static Configuration oneFault(Receiver receiver) {
            return new Configuration("one fault, messages of 3, 1, 2 and 3 packets", receiver, List.of("FIXED", "FAULTS=1"), false);
        }

        /** Two messages of three packets and one; two faults, and any disorder. */
        static Configuration twoFaults(Receiver receiver, boolean cycles) {
            return new Configuration("two faults, messages of 3 packets and 1" + (cycles ? ", no endless run" : ""), receiver,
                List.of("FIXED", "MESSAGES=2", "FAULTS=2"), cycles);
        }

        /** Four messages, each of one to three packets; disorder, but no other fault. */
        static Configuration disorder(Receiver receiver) {
            return new Configuration("disorder alone, messages of 1 to 3 packets", receiver, List.of("FAULTS=0"), false);
        }

        ModelRun run(String... more) throws IOException, InterruptedException {
            List<String> all = new ArrayList<>(defines);
            all.add("RECEIVER=" + receiver.ordinal());
            all.addAll(List.of(more));
            return ModelRun.of(all, cycles);
        }
    }

    static List<Configuration> configurations() {
        List<Configuration> list = new ArrayList<>();
        for (Receiver receiver : Receiver.values()) {
            list.add(Configuration.anyFaults(receiver));
            list.add(Configuration.disorder(receiver));
            list.add(Configuration.oneFault(receiver));
            list.add(Configuration.twoFaults(receiver, false));
            list.add(Configuration.twoFaults(receiver, true));
        }
        return list;
    }

    private void checkConfigurations() throws IOException, InterruptedException {
        System.out.println("| receiver | configuration | states | transitions | depth | s | result |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (Configuration configuration : configurations()) {
            ModelRun run = configuration.run();
            boolean isGood = run.complete() && run.error() == null;
            failures += isGood ? 0 : 1;
            print(configuration.receiver(), configuration.name(), run,
                run.error() != null ? "ERROR: " + run.error() : run.complete() ? "no error" : "NOT EXHAUSTIVE");
        }
    }

    private void checkDefects() throws IOException, InterruptedException {
        System.out.println("| receiver | defect | states | transitions | depth | s | result |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (ModelDefect defect : ModelDefect.values()) {
            Configuration configuration = defect.anyFaults ? Configuration.anyFaults(defect.receiver)
                : Configuration.oneFault(defect.receiver);
            ModelRun run = configuration.run(defect.macro());
            failures += run.error() != null ? 0 : 1;
            print(defect.receiver, defect.sentence, run, run.error() != null ? run.error() : "NOT FOUND");
        }
    }

    private static void print(Receiver receiver, String name, ModelRun run, String result) {
        System.out.printf(Locale.ROOT, "| %s | %s | %d | %d | %d | %.1f | %s |%n", receiver, name, run.states(), run.transitions(),
            run.depth(), run.seconds(), result);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String missing = ModelRun.missingProgram();
        if (missing != null) {
            System.err.println(missing + " is missing: apt-get install --no-install-recommends spin gcc libc6-dev");
            System.exit(2);
        }
        ModelCheck check = new ModelCheck();
        if (arguments.length == 0 || !arguments[0].equals("defects")) {
            check.checkConfigurations();
        }
        check.checkDefects();
        System.out.println(check.failures == 0 ? "passed" : "FAILED: " + check.failures);
        System.exit(check.failures == 0 ? 0 : 1);
    }
}
