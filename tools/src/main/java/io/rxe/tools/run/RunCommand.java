package io.rxe.tools.run;

import io.rxe.ibverbs.ProgramStart;
import io.rxe.net.InterfaceInfo;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.port.EcnOptions;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.VersionText;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.Inet6Address;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
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

    @Option(names = "--udp-port", paramLabel = "PORT", description = "UDP port of the NIC (default: 4791).")
    private Integer udpPort;

    @Option(names = "--pkeys", paramLabel = "P_KEY[,P_KEY...]",
        description = "P_Key table of the NIC, at most 128 (default: 0xffff). Connections of librdmacm use the first.")
    private String partitionKeys;

    @Option(names = "--ecn", paramLabel = "off|on|all",
        description = "Let routers mark data instead of dropping it, and notify peers of marks: rxe, or all, which must be adapters then"
            + " (default: off).")
    private String ecn;

    @Option(names = "--cc", paramLabel = "delay|dcqcn|none",
        description = "Congestion controller: follow how long packets wait, the marks of routers, or nothing (default: delay). Parameters"
            + " follow dcqcn: dcqcn,rpg_ai_rate=20mbit")
    private String congestion;

    @Option(names = "--capture", paramLabel = "FILE.pcapng",
        description = "Write every packet sent and received to a file that Wireshark can read.")
    private Path capture;

    @Option(names = "--fault", paramLabel = "SPEC",
        description = "Inject faults in both directions, in netem's syntax: loss 3%%, duplicate 1%%, reorder 10%% 25%%, delay 1ms 200us,"
            + " corrupt 0.1%%, rate 1gbit, limit 1000, separated by spaces. --seed makes them repeatable.")
    private String fault;

    @Option(names = "--verbs-fault", paramLabel = "SPEC",
        description = "Make verbs, requests, queue pairs, the port or connections fail: 'poll_cq: status=RETRY_EXC_ERR nth 1000; reg_mr:"
            + " ENOMEM after 100MB; async: PORT_ERR after 2s'. docs/run.md has the grammar. --seed makes them repeatable.")
    private String verbsFault;

    @Option(names = "--script", paramLabel = "FILE", description = "Faults at times, and what must follow: lines 'at 2s async: PORT_ERR'"
        + " and 'expect DISCONNECTED within 1s'. The program ends with status 113 when something does not.")
    private Path script;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of faults, queue pair numbers and keys, to repeat a run.")
    private Long seed;

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

    @Option(names = {"-v", "--verbose"}, description = "Say why a verb or a request fails.")
    private boolean verbose;

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
        if (udpPort != null) {
            start.udpPort(portNumber());
        }
        if (partitionKeys != null) {
            start.partitionKeys(checked("--pkeys: ", PartitionKeys::parse, partitionKeys));
        }
        if (ecn != null) {
            checked("--ecn: ", EcnOptions::parse, ecn);
            start.ecn(ecn);
        }
        if (congestion != null) {
            start.congestion(checked("--cc: ", CongestionOptions::parse, congestion));
        }
        if (capture != null) {
            start.capture(capture);
        }
        if (fault != null) {
            checked("", FaultSpec::parse, fault);
            start.fault(fault);
        }
        if (verbsFault != null) {
            checked("--verbs-fault: ", VerbsFaultSpec::parse, verbsFault);
            start.verbsFault(verbsFault);
        }
        if (script != null) {
            checked("--script " + script + ": ", RunCommand::readScript, script.toString());
            start.script(script);
        }
        boolean isRandom = fault != null || verbsFault != null && verbsFault.indexOf('%') >= 0;
        if (isRandom && seed == null) {
            seed = (long) new SecureRandom().nextInt(Integer.MAX_VALUE);
            spec.commandLine().getErr().println("note: faults are random; --seed " + seed + " repeats them");
        }
        if (seed != null) {
            start.seed(seed);
        }
        return verbose ? start.verbose() : start;
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

    private int portNumber() {
        if (udpPort < 1 || udpPort > 65535) {
            throw new ParameterException(spec.commandLine(), "UDP port " + udpPort + " is not in 1..65535");
        }
        return udpPort;
    }

    /** What an option says, or a usage error with these words before it. */
    private <T> T checked(String words, Function<String, T> parse, String text) {
        return OptionText.parse(spec.commandLine(), words, parse, text);
    }

    private static String programs() throws IOException {
        try (InputStream in = RunCommand.class.getResourceAsStream(PROGRAMS)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
