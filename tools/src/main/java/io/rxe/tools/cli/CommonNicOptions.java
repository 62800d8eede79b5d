package io.rxe.tools.cli;

import io.rxe.ibverbs.ProgramStart;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.port.EcnOptions;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * The options that mean the same for the NIC of a command and for that of a program under {@code rxe run}; a mixin. Null means that an
 * option was not given: then a program may have it in its environment.
 */
public class CommonNicOptions {
    @Spec(Target.MIXEE)
    CommandSpec mixee;

    @Option(names = "--udp-port", paramLabel = "PORT", order = 101, description = "UDP port the NIC binds (default: 4791).")
    Integer udpPort;

    PartitionKeys partitionKeys;

    @Option(names = "--pkeys", paramLabel = "P_KEY,...", order = 105,
        description = "P_Key table of the NIC, at most 128, of which commands and librdmacm use the first (default: 0xffff). Both ends must"
            + " be in the same partition, and one a full member: 0x8000 and above.")
    void partitionKeys(String list) {
        partitionKeys = parse("--pkeys: ", PartitionKeys::parse, list);
    }

    String ecn;

    @Option(names = "--ecn", paramLabel = "off|on|all", order = 105,
        description = "Let routers mark data instead of dropping it, and notify peers of marks: rxe, or all, which must be adapters then"
            + " (default: off).")
    void ecn(String mode) {
        parse("--ecn: ", EcnOptions::parse, mode);
        ecn = mode;
    }

    CongestionOptions congestion;

    @Option(names = "--cc", paramLabel = "delay|dcqcn|none", order = 105,
        description = "Congestion controller: follow how long packets wait, the marks of routers, or nothing (default: delay). Parameters"
            + " of adapters follow dcqcn: dcqcn,rpg_ai_rate=20mbit")
    void congestion(String text) {
        congestion = parse("--cc: ", CongestionOptions::parse, text);
    }

    @Option(names = "--capture", paramLabel = "FILE.pcapng", order = 106,
        description = "Write every packet sent and received to a file that Wireshark can read.")
    Path captureFile;

    String fault;

    @Option(names = "--fault", paramLabel = "SPEC", order = 107,
        description = "Inject faults in both directions, in netem's syntax: loss 3%%, duplicate 1%%, reorder 10%% 25%%, "
            + "delay 1ms 200us, corrupt 0.1%%, rate 1gbit, limit 1000, separated by spaces. --seed makes them repeatable.")
    void fault(String text) {
        parse("", FaultSpec::parse, text);
        fault = text;
    }

    String verbsFault;

    @Option(names = "--verbs-fault", paramLabel = "SPEC", order = 107,
        description = "Make verbs, requests, queue pairs, the port or connections fail: 'poll_cq: status=RETRY_EXC_ERR nth 1000; reg_mr:"
            + " ENOMEM after 100MB; async: PORT_ERR after 2s'. docs/run.md has the grammar. --seed makes them repeatable.")
    void verbsFault(String text) {
        parse("--verbs-fault: ", VerbsFaultSpec::parse, text);
        verbsFault = text;
    }

    @Option(names = "--seed", paramLabel = "N", order = 108,
        description = "Seed of everything random, to repeat a run: data, PSNs, queue pair numbers, keys, faults.")
    Long seed;

    @Option(names = {"-v", "--verbose"}, order = 110,
        description = "Print more: the stack trace of an error, or why a verb or a request of a program fails.")
    boolean verbose;

    private <T> T parse(String words, Function<String, T> parse, String text) {
        return OptionText.checked(mixee.commandLine(), words, () -> parse.apply(text));
    }

    /** Sets what was given for the NIC of a program. */
    public ProgramStart applyTo(ProgramStart start, PrintWriter err) {
        set(udpPort, port -> start.udpPort(OptionText.inRange(mixee.commandLine(), "UDP port", port, 1, 65535)));
        set(partitionKeys, start::partitionKeys);
        set(ecn, start::ecn);
        set(congestion, start::congestion);
        set(captureFile, start::capture);
        set(fault, start::fault);
        set(verbsFault, start::verbsFault);
        set(faultSeed(err), start::seed);
        return verbose ? start.verbose() : start;
    }

    private static <T> void set(T given, Consumer<T> setting) {
        if (given != null) {
            setting.accept(given);
        }
    }

    /** The seed given; else one that is drawn, and told, where faults are random; else null. */
    final Long faultSeed(PrintWriter err) {
        boolean isRandom = fault != null || verbsFault != null && verbsFault.indexOf('%') >= 0;
        if (seed != null || !isRandom) {
            return seed;
        }
        long drawn = new SecureRandom().nextInt(Integer.MAX_VALUE);
        err.println("note: faults are random; --seed " + drawn + " repeats them");
        return drawn;
    }
}
