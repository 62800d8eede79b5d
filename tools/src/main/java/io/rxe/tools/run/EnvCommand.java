package io.rxe.tools.run;

import io.rxe.tools.cli.VersionText;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rxe env}: prints what {@code rxe run} sets, for programs that something else starts. */
@Command(name = "env", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = "Print the environment that 'rxe run' sets, for programs that something else starts: eval \"$$(rxe env --dev eth0)\".")
public final class EnvCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ProgramOptions options;

    @Option(names = "--plain", description = "Lines NAME=VALUE, as $$GITHUB_ENV, docker --env-file and EnvironmentFile= of systemd take"
        + " them, instead of lines for a shell.")
    private boolean plain;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        try {
            options.start().variables().forEach((name, value) -> out.println(plain ? name + "=" + value
                : "export " + name + "='" + value.replace("'", "'\\''") + "'"));
        } catch (Throwable e) {
            if (!plain) {
                // The status of eval, which learns of a failure in no other way.
                out.println("false");
            }
            throw e;
        }
    }
}
