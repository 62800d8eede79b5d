package io.rxe.tools.run;

import io.rxe.ibverbs.ProgramStart;
import io.rxe.net.InterfaceInfo;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.tools.cli.CommonNicOptions;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.VersionText;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.Inet6Address;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe run}: becomes an unchanged program for libibverbs, or starts one for DiSNI, with this NIC as its only device. */
@Command(name = "run", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = "Run an unchanged program for libibverbs, or with --disni for DiSNI, on a NIC of its own: its device is rxe0.")
public final class RunCommand implements Callable<Integer> {
    /** The list of programs that were tried. */
    static final String PROGRAMS = "programs.txt";

    @Spec
    private CommandSpec spec;

    @Option(names = "--dev", paramLabel = "ADDR|IFNAME|NETWORK",
        description = "Local address of the NIC. Of an interface or a network (127.0.3.0/24) each process takes the first address that no"
            + " other NIC has. Default: of 127.0.0.1 to 127.0.0.254.")
    private String device;

    @Mixin
    private CommonNicOptions nic;

    @Option(names = "--script", paramLabel = "FILE", description = "Faults at times, and what must follow: lines 'at 2s async: PORT_ERR'"
        + " and 'expect DISCONNECTED within 1s'. The program ends with status 113 when something does not.")
    private Path script;

    @Option(names = "--print-env",
        description = "Print the environment variables that do the same, and run nothing: for scripts that start the program themselves.")
    private boolean printEnvironment;

    @Option(names = "--disni", description = "The program is in Java and uses DiSNI: give its class path, then its main class."
        + " Options of java stand between the two, behind --.")
    private boolean disni;

    @Option(names = {"-cp", "--class-path"}, paramLabel = "PATH", description = "Class path of a DiSNI program, with DiSNI's jar.")
    private String classPath;

    @Option(names = "--list", description = "List the programs that were tried, with what was tested.")
    private boolean list;

    @Parameters(paramLabel = "PROGRAM ARGUMENT", description = "The program and its own arguments; -- may stand before it.")
    private List<String> command;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            out.print(programs());
            return ExitStatus.OK;
        }
        if (command == null && !printEnvironment) {
            throw new ParameterException(spec.commandLine(), "no program given: for example 'rxe run ibv_devinfo'");
        }
        if (disni && classPath == null && !printEnvironment) {
            throw new ParameterException(spec.commandLine(), "no class path given: for example 'rxe run --disni -cp app.jar:disni-2.1.jar"
                + " Main'");
        }
        ProgramStart start = start();
        if (printEnvironment) {
            start.variables().forEach((name, value) -> out.println("export " + name + "='" + value.replace("'", "'\\''") + "'"));
            return ExitStatus.OK;
        }
        try {
            if (disni) {
                return DisniProgram.run(classPath, command, start.variables());
            }
            start.exec(command);
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        return ExitStatus.FAILED;
    }

    private ProgramStart start() {
        ProgramStart start = disni ? new ProgramStart() : new ProgramStart(library());
        if (device != null) {
            start.address(address());
        }
        if (script != null) {
            OptionText.parse(spec.commandLine(), "--script " + script + ": ", RunCommand::readScript, script.toString());
            start.script(script);
        }
        return nic.applyTo(start, spec.commandLine().getErr());
    }

    private static VerbsFaultSpec readScript(String file) {
        try {
            return VerbsFaultSpec.script(Files.readAllLines(Path.of(file)));
        } catch (IOException e) {
            throw new IllegalArgumentException("it cannot be read (" + e + ")", e);
        }
    }

    private Path library() {
        try {
            return LibraryFolder.library(sentence -> spec.commandLine().getErr().println("note: " + sentence));
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private String address() {
        // The library in the program has more to choose from, and chooses when the program starts.
        if (device.contains("/") && !disni) {
            return device;
        }
        try {
            InterfaceInfo local = InterfaceInfo.of(device);
            if (local.address() instanceof Inet6Address && local.address().isLinkLocalAddress()) {
                throw new ParameterException(spec.commandLine(), "--dev " + device + " is a link-local address, which programs cannot name:"
                    + " choose another");
            }
            return local.name().equals(device) && !disni ? device : local.address().getHostAddress();
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private static String programs() throws IOException {
        try (InputStream in = RunCommand.class.getResourceAsStream(PROGRAMS)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
