package io.rxe.tools.cli;

import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command that does what a stock program does, with the options that matter: {@code rxe run} runs the program itself. */
public interface WorkAlike {
    /** How long a finished command waits for retransmissions. */
    long LINGER_MS = 300;

    String stockProgram();

    /** What to tell a user who gave an option that this command lacks. */
    default String remedy() {
        return "'rxe run " + stockProgram() + "' runs the original, which takes all of its options.";
    }

    /** Keeps the NIC open: the last acknowledgement may have been lost, and the peer retransmits after 67 ms. */
    static void linger() {
        try {
            TimeUnit.MILLISECONDS.sleep(LINGER_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Adds one of several commands that share a class.
     *
     * @param name        of the command.
     * @param description for its help.
     */
    static <C extends WorkAlike> void add(CommandLine parent, String name, C command, String... description) {
        CommandLine child = new CommandLine(command);
        CommandSpec spec = child.getCommandSpec();
        spec.name(name);
        spec.usageMessage().description(description);
        parent.addSubcommand(name, child);
    }
}
