package io.rxe.tools;

import io.rxe.net.observe.FileFailure;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NearWords;
import io.rxe.tools.cli.NicOptionsWithoutAddress;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ProcessEnd;
import io.rxe.tools.cli.WorkAlike;
import io.rxe.tools.terminal.StandardOutput;
import io.rxe.tools.terminal.StatusLine;
import io.rxe.tools.terminal.TerminalWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of the {@code rxe} command. */
public final class Main {
    private static final int DEFAULT_COLUMNS = 80;
    /** Narrower help is a column of words, and lines longer than these are hard to read. */
    private static final int MIN_COLUMNS = 55;
    private static final int MAX_COLUMNS = 100;
    private static final String VERBOSE_OPTION = "--verbose";

    private Main() {
    }

    /** Runs one command and exits with its status. */
    public static void main(String[] arguments) {
        ProcessEnd.watch();
        // Figures are for programs too: not with the digits or the commas of a country.
        Locale.setDefault(Locale.ROOT);
        ProcessEnd.exit(StatusLine.isTerminal() ? runOnTerminal(arguments)
            : run(StandardOutput.over(new FileOutputStream(FileDescriptor.out)),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8), arguments));
    }

    private static int runOnTerminal(String... arguments) {
        StatusLine line = new StatusLine(System.err);
        // Not System.out: wrapped, it does not report a closed pipe.
        int status = run(StandardOutput.over(line.over(new FileOutputStream(FileDescriptor.out))),
            new TerminalWriter(line, System.err), arguments);
        line.close();
        return status;
    }

    /** Runs one command; returns the exit status, see {@link ExitStatus}. */
    public static int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine commandLine = commandLine(out, err, arguments);
        int status = commandLine.execute(arguments);
        String failure = out instanceof StandardOutput standard ? standard.failure() : null;
        if (failure != null) {
            err.println("rxe: " + failure);
        }
        err.flush();
        return status != ExitStatus.OK || failure == null && !isIncomplete(last(commandLine.getParseResult())) ? status : ExitStatus.FAILED;
    }

    /** Columns of the help: those of the terminal, or of the variable COLUMNS. The launcher sets the property. */
    static int columns(String variable, String property) {
        String given = variable != null && variable.matches("[1-9]\\d{0,4}") ? variable : property;
        return given == null || !given.matches("[1-9]\\d{0,4}") ? DEFAULT_COLUMNS
            : Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, Integer.parseInt(given)));
    }

    /** @param arguments may be none: then it has all commands. */
    static CommandLine commandLine(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine commandLine = new CommandLine(new RxeCommand());
        RxeCommand.addCommands(commandLine, arguments.length == 0 ? "" : arguments[0]);
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroup::list);
        commandLine.setOut(out);
        commandLine.setErr(err);
        commandLine.setUsageHelpWidth(columns(System.getenv("COLUMNS"), System.getProperty("rxe.columns")));
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setOverwrittenOptionsAllowed(true);
        List.of(int.class, Integer.class).forEach(type -> commandLine.registerConverter(type,
            text -> OptionText.wholeNumber(Integer::valueOf, Integer.MIN_VALUE, Integer.MAX_VALUE, text)));
        List.of(long.class, Long.class).forEach(type -> commandLine.registerConverter(type,
            text -> OptionText.wholeNumber(Long::valueOf, Long.MIN_VALUE, Long.MAX_VALUE, text)));
        // What follows the name of the program is the program's own, also an @ before the name of a file.
        if (commandLine.getSubcommands().containsKey("run")) {
            commandLine.getSubcommands().get("run").setStopAtPositional(true);
            commandLine.setExpandAtFiles(false);
        }
        commandLine.registerConverter(Path.class,
            text -> OptionText.read(() -> FileFailure.path(text), e -> new CommandLine.TypeConversionException(e.getMessage())));
        commandLine.setParameterExceptionHandler(Main::misused);
        commandLine.setExecutionExceptionHandler(Main::failed);
        return commandLine;
    }

    private static int misused(ParameterException exception, String... arguments) {
        CommandLine command = exception.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + exception.getMessage().strip());
        command.getErr().println(exception instanceof UnmatchedArgumentException unmatched
            ? remedy(unmatched.getUnmatched().get(0), command) : "Try '" + name + " --help'.");
        return ExitStatus.USAGE;
    }

    private static String remedy(String typed, CommandLine command) {
        if (typed.startsWith("-") && command.getCommand() instanceof WorkAlike workAlike) {
            return workAlike.remedy();
        }
        List<String> near = near(typed, command);
        if (!near.isEmpty()) {
            return "Did you mean: " + String.join(" or ", near) + "?";
        }
        return "Try '" + command.getCommandSpec().qualifiedName() + " --help'." + (command.getParent() == null && !typed.startsWith("-")
            ? " If that is a stock program: 'rxe run " + typed + "'." : "");
    }

    /** The options or commands that the user may have meant. */
    private static List<String> near(String typed, CommandLine command) {
        if (typed.startsWith("-")) {
            return NearWords.of(typed, command.getCommandSpec().optionsMap().keySet());
        }
        return NearWords.of(typed, command.getSubcommands().keySet()).stream()
            .map(name -> command.getCommandSpec().qualifiedName() + " " + name).toList();
    }

    private static int failed(Exception exception, CommandLine command, ParseResult parsed) {
        String message = FileFailure.sentence(exception);
        command.getOut().flush();
        if (ProcessEnd.hasBegun()) {
            return ExitStatus.FAILED;
        }
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + message);
        if (last(parsed).matchedOption(VERBOSE_OPTION) != null) {
            exception.printStackTrace(command.getErr());
        } else if (isUnexpected(exception)) {
            command.getErr().println("This is a defect of rxe. Run it again with " + VERBOSE_OPTION + " for the stack trace ("
                + exception.getClass().getName() + ").");
        }
        return ExitStatus.FAILED;
    }

    private static ParseResult last(ParseResult parsed) {
        return parsed.hasSubcommand() ? last(parsed.subcommand()) : parsed;
    }

    private static boolean isIncomplete(ParseResult parsed) {
        return parsed.commandSpec().mixins().values().stream()
            .anyMatch(mixin -> mixin.userObject() instanceof NicOptionsWithoutAddress nic && nic.isIncomplete());
    }

    // A null pointer and the like are our defects, not the user's or the network's.
    private static boolean isUnexpected(Exception exception) {
        return exception instanceof NullPointerException || exception instanceof ClassCastException
            || exception instanceof IndexOutOfBoundsException;
    }
}
