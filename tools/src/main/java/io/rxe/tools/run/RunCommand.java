package io.rxe.tools.run;

import io.rxe.disni.DisniStart;
import io.rxe.ibverbs.ProgramStart;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.VersionText;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe run}: becomes an unchanged program for libibverbs, or starts one for DiSNI, with NICs of this project as its only devices. */
@Command(name = "run", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = "Run an unchanged program for libibverbs, or with --disni for DiSNI, on a NIC of its own: its device is rxe0.")
public final class RunCommand implements Callable<Integer> {
    /** The list of programs that were tried. */
    static final String PROGRAMS = "programs.txt";

    @Spec
    private CommandSpec spec;

    @Mixin
    private ProgramOptions options;

    @Option(names = {"-cp", "--class-path"}, paramLabel = "PATH", description = "Class path of a DiSNI program, with DiSNI's jar; its main"
        + " class follows. Options of java stand between the two, behind --.")
    private String classPath;

    @Option(names = "--list", description = "List the programs that were tried, with what was tested.")
    private boolean list;

    @Parameters(paramLabel = "PROGRAM ARGUMENT", description = "The program and its own arguments, also behind --.")
    private List<String> command;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            out.print(programs());
            return ExitStatus.OK;
        }
        if (options.isDisni() && (classPath == null || command == null)) {
            throw new ParameterException(spec.commandLine(), "no " + (classPath == null ? "class path" : "main class")
                + " given: for example 'rxe run --disni -cp app.jar:disni-2.1.jar Main'");
        }
        if (command == null) {
            throw new ParameterException(spec.commandLine(), "no program given: for example 'rxe run ibv_devinfo'");
        }
        ProgramStart start = options.start();
        if (options.isDisni()) {
            return DisniStart.run(classPath, command, start.variables());
        }
        start.exec(command);
        return ExitStatus.FAILED;
    }

    private static String programs() throws IOException {
        try (InputStream in = RunCommand.class.getResourceAsStream(PROGRAMS)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
