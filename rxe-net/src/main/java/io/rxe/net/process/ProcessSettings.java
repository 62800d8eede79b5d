package io.rxe.net.process;

import io.rxe.cm.ConnectParameters;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.net.observe.CaptureFile;
import io.rxe.net.observe.FileFailure;
import io.rxe.port.EcnOptions;
import io.rxe.port.Progress;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * How the NIC of the program is opened: the environment variables that {@code tools/rxe run} sets, or system properties of the same names
 * in lower case with dots, {@code rxe.udp.port} for {@code RXE_UDP_PORT}. A property wins.
 */
public final class ProcessSettings {
    public static final String DEV = "RXE_DEV";
    public static final String UDP_PORT = "RXE_UDP_PORT";
    private static final String ENGINES = "RXE_ENGINES";
    public static final String CAPTURE = "RXE_CAPTURE";
    public static final String FAULT = "RXE_FAULT";
    public static final String VERBS_FAULT = "RXE_VERBS_FAULT";
    public static final String VERBS_SCRIPT = "RXE_VERBS_SCRIPT";
    public static final String SEED = "RXE_SEED";
    private static final String KEEP_ALIVE_MS = "RXE_KEEP_ALIVE_MS";
    private static final String PROGRESS = "RXE_PROGRESS";
    public static final String PKEYS = "RXE_PKEYS";
    public static final String ECN = "RXE_ECN";
    public static final String CC = "RXE_CC";
    public static final String VERBOSE = "RXE_VERBOSE";

    /** Exit status of a program whose script of faults expected something in vain. */
    public static final int SCRIPT_FAILED = 113;

    private final UnaryOperator<String> properties;
    private final UnaryOperator<String> environment;

    /** Each returns the value of a name, or null. */
    public ProcessSettings(UnaryOperator<String> properties, UnaryOperator<String> environment) {
        this.properties = properties;
        this.environment = environment;
    }

    public static ProcessSettings ofProcess() {
        return new ProcessSettings(System::getProperty, System::getenv);
    }

    private static String property(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** The value, or null when there is none. */
    private String value(String variable) {
        String value = properties.apply(property(variable));
        if (value == null) {
            value = environment.apply(variable);
        }
        return value == null || value.isBlank() ? null : value;
    }

    public boolean isVerbose() {
        String value = value(VERBOSE);
        return value != null && !value.equals("0");
    }

    /** The local address or interface that was asked for; null for none. */
    public String device() {
        return value(DEV);
    }

    /** The UDP port of the NIC, 4791 unless set. */
    public int udpPort() {
        return options("127.0.0.1").udpPort();
    }

    /**
     * How long a connection may be silent before the peer is asked whether it lives, in nanoseconds, 1 ms to 1 h; 0 = never, which holds
     * unless set. For interfaces without a parameter for it.
     */
    public long keepAliveNs() {
        String value = value(KEEP_ALIVE_MS);
        if (value == null) {
            return 0;
        }
        try {
            long ns = TimeUnit.MILLISECONDS.toNanos(number(value));
            // Checks the range.
            new ConnectParameters().keepAliveNs(ns);
            return ns;
        } catch (IllegalArgumentException e) {
            throw refused(KEEP_ALIVE_MS, value, e);
        }
    }

    /**
     * Who drives the engines.
     *
     * @param otherwise where nothing is set.
     * @throws IllegalArgumentException for another value than {@code thread} and {@code polling}.
     */
    public Progress progress(Progress otherwise) {
        String value = value(PROGRESS);
        return value == null ? otherwise : switch (value) {
            case "thread" -> Progress.THREAD;
            case "polling" -> Progress.POLLING;
            default -> throw refused(PROGRESS, value, new IllegalArgumentException("use thread, an engine thread for the NIC, or polling:"
                + " threads that poll completions drive it too"));
        };
    }

    private static IllegalArgumentException refused(String variable, String value, RuntimeException why) {
        return new IllegalArgumentException(variable + " or " + property(variable) + " is '" + value + "': " + FileFailure.sentence(why),
            why);
    }

    /**
     * Options of the NIC.
     *
     * @param address local address or interface.
     * @throws IllegalArgumentException for a value that cannot be read, here or of the other settings; the message names the variable and
     *                                  the property.
     */
    public RxeNicOptions options(String address) {
        keepAliveNs();
        RxeNicOptions options = RxeNicOptions.defaults(address).withWarnings(new Sentences.Warned());
        options = with(options, UDP_PORT, (before, value) -> before.withUdpPort(small(value)));
        options = with(options, ENGINES, (before, value) -> before.withEngines(small(value)));
        options = with(options, PKEYS, (before, value) -> before.withPartitionKeys(PartitionKeys.parse(value)));
        options = with(options, ECN, (before, value) -> before.withEcn(EcnOptions.parse(value)));
        options = with(options, CC, (before, value) -> before.withCongestion(CongestionOptions.parse(value)));
        options = with(options, CAPTURE, (before, value) -> before.withCaptureFile(Path.of(value)));
        options = with(options, SEED, (before, value) -> before.withSeed(number(value)));
        options = with(options, FAULT, (before, value) -> before.withFault(FaultSpec.parse(value).layer(seed(before))));
        options = with(options, VERBS_FAULT, (before, value) -> before.withVerbsFault(VerbsFaultSpec.parse(value).faults(seed(before))));
        return with(options, VERBS_SCRIPT, (before, value) -> before.withVerbsFault(script(value).faults(seed(before))));
    }

    private static long seed(RxeNicOptions options) {
        return options.seed() == null ? new SecureRandom().nextLong() : options.seed();
    }

    /** The faults of a script, and those of the other variable. */
    private VerbsFaultSpec script(String file) {
        VerbsFaultSpec script = readScript(file);
        return value(VERBS_FAULT) == null ? script : VerbsFaultSpec.parse(value(VERBS_FAULT)).and(script);
    }

    /**
     * What a script says.
     *
     * @throws IllegalArgumentException for a file that cannot be read, or is none.
     */
    public static VerbsFaultSpec readScript(String file) {
        try {
            return VerbsFaultSpec.script(Files.readAllLines(Path.of(file)));
        } catch (IOException e) {
            throw new IllegalArgumentException("it cannot be read: " + FileFailure.ofRead(e) + "; name a text file with the script", e);
        }
    }

    /**
     * What {@link #CAPTURE} says.
     *
     * @throws IllegalArgumentException for an empty name.
     */
    public static String capture(Path file) {
        return FileFailure.named("the capture", file).toAbsolutePath().toString();
    }

    /**
     * Begins the capture of a program, which may open no NIC.
     *
     * @param variables that the program gets beside those of this process.
     * @throws IOException if it cannot be written.
     */
    public static void beginCapture(Map<String, String> variables) throws IOException {
        String file = variables.getOrDefault(CAPTURE, System.getenv(CAPTURE));
        if (file != null && !file.isEmpty()) {
            CaptureFile.begin(FileFailure.path(file));
        }
    }

    private RxeNicOptions with(RxeNicOptions options, String variable, BiFunction<RxeNicOptions, String, RxeNicOptions> change) {
        String value = value(variable);
        if (value == null) {
            return options;
        }
        try {
            return change.apply(options, value);
        } catch (IllegalArgumentException e) {
            throw refused(variable, value, e);
        }
    }

    /** A number that no int holds is out of every range, as the nearest one is, whose refusal names the range. */
    private static int small(String value) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number(value)));
    }

    private static long number(String value) {
        try {
            return Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("this is not a number", e);
        }
    }
}
