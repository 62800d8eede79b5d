package io.rxe.tools;

import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/** {@code rxe} with all its commands, for the programs of picocli that write manual pages and completion scripts: they make a class. */
@Command(modelTransformer = AllCommands.Adder.class)
final class AllCommands extends RxeCommand {
    /** Adds what {@link RxeCommand} adds for a command line. */
    static final class Adder implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            RxeCommand.addCommands(spec.commandLine(), "");
            return spec;
        }
    }
}
