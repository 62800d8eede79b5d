package io.rxe.tools;

import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.terminal.StatusLine;
import io.rxe.tools.terminal.TerminalWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Entry point of the {@code rxe} command. */
public final class Main {
    private static final int USAGE_COLUMNS = 100;
    private static final String VERBOSE_OPTION = "--verbose";

    private Main() {
    }

    /** Runs one command and exits with its status. */
    public static void main(String[] arguments) {
        System.exit(StatusLine.isTerminal() ? runOnTerminal(arguments)
            : run(new PrintWriter(System.out, false, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8), arguments));
    }

    private static int runOnTerminal(String... arguments) {
        StatusLine line = new StatusLine(System.err);
        // Not System.out: wrapped, it does not report a closed pipe.
        PrintWriter out = new PrintWriter(line.over(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8);
        int status = run(out, new TerminalWriter(line, System.err), arguments);
        line.close();
        return status;
    }

    /**
     * Runs one command.
     *
     * @return the exit status, see {@link ExitStatus}.
     */
    public static int run(PrintWriter out, PrintWriter err, String... arguments) {
        int status = commandLine(out, err).execute(arguments);
        out.flush();
        err.flush();
        return status;
    }

    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        CommandLine commandLine = new CommandLine(new RxeCommand());
        commandLine.setOut(out);
        commandLine.setErr(err);
        commandLine.setUsageHelpWidth(USAGE_COLUMNS);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setOverwrittenOptionsAllowed(true);
        commandLine.setParameterExceptionHandler(usageHandler());
        commandLine.setExecutionExceptionHandler(Main::failed);
        return commandLine;
    }

    private static IParameterExceptionHandler usageHandler() {
        return (exception, arguments) -> {
            CommandLine command = exception.getCommandLine();
            String name = command.getCommandSpec().qualifiedName();
            command.getErr().println(name + ": " + firstLine(exception.getMessage()));
            if (!CommandLine.UnmatchedArgumentException.printSuggestions(exception, command.getErr())) {
                command.getErr().println("Try '" + name + " --help'.");
            }
            return ExitStatus.USAGE;
        };
    }

    private static int failed(Exception exception, CommandLine command, ParseResult parsed) {
        String message = exception.getMessage() == null ? exception.toString() : exception.getMessage();
        command.getOut().flush();
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + message);
        if (isVerbose(parsed)) {
            exception.printStackTrace(command.getErr());
        } else if (isUnexpected(exception)) {
            command.getErr().println("This is a defect of rxe. Run it again with " + VERBOSE_OPTION + " for the stack trace ("
                + exception.getClass().getName() + ").");
        }
        return ExitStatus.FAILED;
    }

    private static boolean isVerbose(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        return last.matchedOption(VERBOSE_OPTION) != null;
    }

    // A null pointer and the like are our defects, not the user's or the network's.
    private static boolean isUnexpected(Exception exception) {
        return exception instanceof NullPointerException || exception instanceof ClassCastException
            || exception instanceof IndexOutOfBoundsException;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
