package io.rxe.tools;

import io.rxe.tools.cli.VersionText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rxe version}: the same as {@code --version}. */
@Command(name = "version", description = "Print version, commit and Java.", mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
public final class VersionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().printVersionHelp(spec.commandLine().getOut());
    }
}
