package io.rxe.testkit;

import io.rxe.testkit.agent.AgentCommand;
import io.rxe.testkit.beside.BesideTcpCommand;
import io.rxe.testkit.endurance.EnduranceCommand;
import io.rxe.testkit.faults.FaultTableCommand;
import io.rxe.testkit.flood.FloodCommand;
import io.rxe.testkit.neighbour.NeighbourCommand;
import io.rxe.testkit.suite.SuiteCommand;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ProcessEnd;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the programs that test rxe; scripts start it: {@code RXE_MAIN=io.rxe.testkit.TestKit tools/rxe NAME}. */
@Command(name = "testkit", subcommands = {AgentCommand.class, BesideTcpCommand.class, EnduranceCommand.class,
    FaultTableCommand.class, FloodCommand.class, NeighbourCommand.class})
public final class TestKit {
    private TestKit() {
    }

    /** Runs one program and exits with its status. */
    public static void main(String[] arguments) {
        ProcessEnd.watch();
        Locale.setDefault(Locale.ROOT);
        CommandLine commandLine = new CommandLine(new TestKit());
        SuiteCommand.addTo(commandLine);
        // As for the commands of rxe: their defaults are in lower case.
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler((exception, command, parsed) -> {
            command.getErr().println(command.getCommandName() + ": " + exception);
            return ExitStatus.FAILED;
        });
        System.exit(commandLine.execute(arguments));
    }
}
