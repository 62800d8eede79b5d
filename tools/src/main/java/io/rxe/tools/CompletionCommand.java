package io.rxe.tools;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rxe completion}: what a shell needs to complete commands and options. */
@Command(name = "completion", mixinStandardHelpOptions = true, versionProvider = VersionText.class,
    description = {"Print a completion script for bash and zsh.", "Use it with:  source <(tools/rxe completion)"})
public final class CompletionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().getOut().print(AutoComplete.bash("rxe", spec.root().commandLine()));
        spec.commandLine().getOut().print('\n');
    }
}
