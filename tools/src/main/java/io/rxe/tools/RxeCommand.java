package io.rxe.tools;

import io.rxe.tools.cli.VersionText;
import io.rxe.tools.dump.DumpCommand;
import io.rxe.tools.loopback.LoopbackCommand;
import io.rxe.tools.rping.RpingCommand;
import io.rxe.tools.run.RunCommand;
import io.rxe.tools.stat.StatCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the command tree. */
@Command(name = "rxe", versionProvider = VersionText.class, mixinStandardHelpOptions = true,
    description = {"A software RoCEv2 NIC in userspace.", ""},
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "'rxe COMMAND --help' explains one command.",
        "Exit status: 0 success, 1 failure (wrong data, error completion, timeout), 2 wrong usage."},
    subcommands = {LoopbackCommand.class, RunCommand.class, RpingCommand.class, DumpCommand.class, StatCommand.class, DevInfoCommand.class,
        HelpCommand.class, VersionCommand.class, CompletionCommand.class})
public final class RxeCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given: try 'rxe loopback', or 'rxe help' for the list");
    }
}
