package io.rxe.tools;

import io.rxe.tools.cli.VersionText;
import io.rxe.tools.dump.DumpCommand;
import io.rxe.tools.loopback.LoopbackCommand;
import io.rxe.tools.perftest.PerftestCommand;
import io.rxe.tools.pingpong.PingPongCommand;
import io.rxe.tools.rping.RpingCommand;
import io.rxe.tools.run.EnvCommand;
import io.rxe.tools.run.RunCommand;
import io.rxe.tools.stat.StatCommand;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
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
        "Exit status: 0 success, 1 failure (wrong data, error completion, timeout), 2 wrong usage."})
public class RxeCommand implements Runnable {
    private static final Map<String, Supplier<Object>> COMMANDS = Map.of("loopback", LoopbackCommand::new, "run", RunCommand::new,
        "env", EnvCommand::new, "rping", RpingCommand::new, "dump", DumpCommand::new, "stat", () -> new StatCommand(new DumpCommand()),
        "devinfo", DevInfoCommand::new, "help", HelpCommand::new, "version", VersionCommand::new, "completion", GenerateCompletion::new);

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given: try 'rxe loopback', or 'rxe help' for the list");
    }

    /** Adds the command that is called, or all where that is not one: to look at the options of all takes longer than a small program. */
    static void addCommands(CommandLine rxe, String called) {
        // What help and completion print is about all.
        addCommands(rxe, name -> name.equals(called) && !name.equals("help") && !name.equals("completion"));
        if (rxe.getSubcommands().isEmpty()) {
            addCommands(rxe, name -> true);
        }
    }

    /** In one order, since that of a Map.of is another in each process: manual pages and completion of two builds would differ. */
    private static void addCommands(CommandLine rxe, Predicate<String> isWanted) {
        COMMANDS.keySet().stream().sorted().filter(isWanted).forEach(name -> {
            rxe.addSubcommand(name, COMMANDS.get(name).get());
            // Those of picocli have a name and a version of their own, and take any words where they count as help.
            rxe.getSubcommands().get(name).getCommandSpec().name(name).versionProvider(new VersionText()).helpCommand(name.equals("help"));
        });
        PingPongCommand.addTo(rxe, isWanted);
        PerftestCommand.addTo(rxe, isWanted);
    }
}
