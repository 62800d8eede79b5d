package io.rxe.tools.perftest;

import io.rxe.tools.cli.IgnoredOptionNotes;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of perftest that are accepted without effect, each with a note, and options that are refused with a reason. */
final class IgnoredOptions {
    private static final String NO_LEVELS = "RoCEv2 has no service levels";
    private static final String WITHOUT_EFFECT = "Accepted, without effect.";
    private static final String SOCKETS_OWN = "the sockets of the NIC set their own";
    private static final String PAGED = "the memory of a process is always paged on demand";
    private static final String POLLS = "idle threads sleep by themselves";

    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    private final IgnoredOptionNotes notes = new IgnoredOptionNotes();

    /** Notes on the options given. */
    IgnoredOptionNotes notes() {
        return notes;
    }

    @Option(names = {"-e", "--events"}, order = 60, description = WITHOUT_EFFECT)
    void events(boolean given) {
        notes.ignored("-e", POLLS);
    }

    @Option(names = {"-X", "--vector"}, paramLabel = "N", order = 61, description = WITHOUT_EFFECT)
    void vector(int number) {
        notes.ignored("-X", POLLS);
    }

    @Option(names = {"-f", "--margin"}, paramLabel = "SECONDS", order = 62, description = WITHOUT_EFFECT)
    void margin(int seconds) {
        notes.ignored("-f", "a quarter of -D at each end does not count");
    }

    @Option(names = {"-F", "--CPU-freq"}, order = 63, description = WITHOUT_EFFECT)
    void frequency(boolean given) {
        notes.ignored("-F", "times do not depend on the CPU frequency");
    }

    @Option(names = {"-C", "--report-cycles"}, order = 64, description = WITHOUT_EFFECT)
    void cycles(boolean given) {
        notes.ignored("-C", "times are in microseconds");
    }

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", order = 65, description = "Port of the device; there is only 1.")
    void devicePort(int number) {
        if (number != 1) {
            throw new ParameterException(mixee.commandLine(), "port " + number + " does not exist: the device has one, number 1");
        }
    }

    @Option(names = {"-S", "--sl"}, paramLabel = "LEVEL", order = 66, description = WITHOUT_EFFECT)
    void serviceLevel(int level) {
        notes.ignored("-S", NO_LEVELS);
    }

    @Option(names = {"-T", "--tos"}, paramLabel = "TOS", order = 67, description = WITHOUT_EFFECT)
    void typeOfService(int value) {
        notes.ignored("-T", SOCKETS_OWN);
    }

    @Option(names = "--tclass", paramLabel = "CLASS", order = 68, description = WITHOUT_EFFECT)
    void trafficClass(int value) {
        notes.ignored("--tclass", SOCKETS_OWN);
    }

    @Option(names = {"-L", "--hop_limit"}, paramLabel = "HOPS", order = 69, description = WITHOUT_EFFECT)
    void hopLimit(int value) {
        notes.ignored("-L", SOCKETS_OWN);
    }

    @Option(names = {"-W", "--report-counters"}, paramLabel = "NAMES", order = 70, description = WITHOUT_EFFECT)
    void counters(String names) {
        notes.ignored("-W", "the counters of the NIC are not in sysfs");
    }

    @Option(names = "--odp", order = 71, description = WITHOUT_EFFECT)
    void onDemandPaging(boolean given) {
        notes.ignored("--odp", PAGED);
    }

    @Option(names = "--use_hugepages", order = 72, description = WITHOUT_EFFECT)
    void hugePages(boolean given) {
        notes.ignored("--use_hugepages", "no hardware translates the addresses");
    }

    @Option(names = "--use_old_post_send", order = 73, description = WITHOUT_EFFECT)
    void oldPostSend(boolean given) {
        notes.ignored("--use_old_post_send", "there is only one way to post");
    }

    @Option(names = "--recv_post_list", paramLabel = "N", order = 74, description = WITHOUT_EFFECT)
    void receivePostList(int count) {
        notes.ignored("--recv_post_list", "receives need no doorbell");
    }

    @Option(names = "--inline_recv", paramLabel = "BYTES", order = 75, description = WITHOUT_EFFECT)
    void inlineReceive(int bytes) {
        notes.ignored("--inline_recv", "there is no device memory to keep messages in");
    }

    @Option(names = "--perform_warm_up", order = 76, description = WITHOUT_EFFECT)
    void warmUp(boolean given) {
        notes.ignored("--perform_warm_up", "the NIC always warms up before it connects");
    }

    @Option(names = "--pkey_index", paramLabel = "INDEX", order = 77, description = WITHOUT_EFFECT)
    void partitionKey(int index) {
        notes.ignored("--pkey_index", "there is one partition key, 0xffff");
    }

    @Option(names = "--force-link", paramLabel = "LINK", order = 78, description = WITHOUT_EFFECT)
    void forceLink(String link) {
        notes.ignored("--force-link", "the link is always Ethernet");
    }

    @Option(names = "--ipv6", order = 79, description = WITHOUT_EFFECT)
    void ipv6(boolean given) {
        notes.ignored("--ipv6", "give -d an IPv6 address");
    }

    @Option(names = "--mr_per_qp", order = 80, description = WITHOUT_EFFECT)
    void regionForEach(boolean given) {
        notes.ignored("--mr_per_qp", "one memory region is as fast as many");
    }

    @Option(names = "--disable_pcie_relaxed", order = 81, description = WITHOUT_EFFECT)
    void relaxedOrdering(boolean given) {
        notes.ignored("--disable_pcie_relaxed", "there is no PCIe bus");
    }

    @Option(names = "--cpu_util", order = 82, description = WITHOUT_EFFECT)
    void cpuUtilization(boolean given) {
        notes.ignored("--cpu_util", "use top or perf");
    }

    @Option(names = {"-O", "--dualport"}, order = 83, hidden = true, description = "Not available.")
    void dualPort(boolean given) {
        throw unavailable("-O", "the device has one port");
    }

    @Option(names = {"-M", "--MGID"}, paramLabel = "GID", order = 84, hidden = true, description = "Not available.")
    void multicastGroup(String group) {
        throw unavailable("-M", "these tests do not send to multicast groups");
    }

    @Option(names = "--run_infinitely", order = 85, hidden = true, description = "Not available.")
    void runInfinitely(boolean given) {
        throw unavailable("--run_infinitely", "use -D with a long time");
    }

    @Option(names = "--reversed", order = 86, hidden = true, description = "Not available.")
    void reversed(boolean given) {
        throw unavailable("--reversed", "exchange server and client");
    }

    private ParameterException unavailable(String option, String why) {
        return new ParameterException(mixee.commandLine(), option + " is not available: " + why);
    }
}
