package io.rxe.tools;

import io.rxe.tools.cli.VersionText;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rxe completion}: prints the script with which a shell completes commands and options. */
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
