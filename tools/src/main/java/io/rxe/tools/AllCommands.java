package io.rxe.tools;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code rxe} with all its commands, for the programs of picocli that write manual pages and completion scripts: they make a class. */
@Command(modelTransformer = AllCommands.Adder.class)
final class AllCommands extends RxeCommand {
    /** Adds what {@link RxeCommand} adds for a command line. */
    static final class Adder implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            RxeCommand.addCommands(spec.commandLine(), "");
            spec.subcommands().values().forEach(command -> sort(command.getCommandSpec()));
            return spec;
        }

        /** The JVM lists fields as they are declared, methods in any order: two builds would differ. */
        private static void sort(CommandSpec command) {
            List<OptionSpec> options = command.options().stream().sorted(Comparator.comparingInt(OptionSpec::order)
                .thenComparing(option -> option.userObject() instanceof Method ? option.longestName() : "")).toList();
            options.forEach(command::remove);
            options.forEach(command::addOption);
        }
    }
}
