package io.rxe.bench.compare;

import io.rxe.bench.JsonReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measurements between two network namespaces: the sending program runs in one, the receiving program in the other. {@code tools/compare}
 * makes both, and the veth pairs of {@link VethLink}.
 */
public final class VethJobs {
    /** Operations and sizes of our own program. */
    static final String[][] BULK = {{"write", "65536"}, {"send", "1048576"}, {"write", "1048576"}};

    private static final int TEST_PORT = 18_515;
    private static final int RAW_PORT = 4790;
    /** Shortest run of a perftest, in whole seconds: Java compiles in the margin before what it measures, a quarter of this. */
    private static final long PERFTEST_SECONDS = 8;

    private final List<String> launcher;
    private final PeerJobs peers;
    private final String sender;
    private final String receiver;
    private final String seconds;
    private final long perftestSeconds;

    /**
     * @param launcher   the command line of this program, up to the name of a command.
     * @param peers      the other programs.
     * @param sender     network namespace of the sending side.
     * @param receiver   network namespace of the receiving side.
     * @param durationNs time of each measurement.
     */
    public VethJobs(List<String> launcher, PeerJobs peers, String sender, String receiver, long durationNs) {
        this.launcher = List.copyOf(launcher);
        this.peers = peers;
        this.sender = sender;
        this.receiver = receiver;
        this.seconds = String.format(Locale.ROOT, "%.3f", durationNs / 1e9);
        // Half of it is margin.
        this.perftestSeconds = Math.max(PERFTEST_SECONDS, Math.round(2 * durationNs / 1e9));
    }

    /** All measurements, one pair after the other. */
    public List<Job> all() {
        List<Job> jobs = new ArrayList<>();
        String limit = peers.limitProgram();
        String iperf = peers.iperfProgram();
        for (VethLink link : VethLink.ALL) {
            for (String[] bulk : BULK) {
                jobs.add(perftest(link, bulk[0], bulk[1]));
            }
            jobs.add(rawJava(link));
            if (limit != null) {
                jobs.add(rawC(limit, link, "gro", "gro"));
                jobs.add(rawC(limit, link, "gather", "gro", "gather"));
                jobs.add(rawC(limit, link, "mmsg", "mmsg"));
            }
            if (iperf != null) {
                for (String kind : List.of("tcp", "udp")) {
                    jobs.add(peers.iperf(iperf, in(receiver), in(sender), link.receiver(), link.key("iperf/" + kind)));
                }
            }
        }
        return jobs;
    }

    private static List<String> in(String namespace) {
        return List.of("ip", "netns", "exec", namespace);
    }

    private List<String> ours(String namespace, String... words) {
        List<String> command = new ArrayList<>(in(namespace));
        command.addAll(launcher);
        command.addAll(List.of(words));
        return command;
    }

    /** {@code rxe/OPERATION/SIZE}: our perftest, whose server and client are processes of their own, driven by the thread that polls. */
    private Job perftest(VethLink link, String operation, String size) {
        String program = "ib_" + operation + "_bw";
        String time = Long.toString(perftestSeconds);
        String key = link.key("rxe/" + operation + '/' + size);
        String mtu = Integer.toString(link.pathMtu());
        return new Job(OwnJobs.RXE, key,
            ours(receiver, program, "-d", link.receiver(), "-D", time, "-s", size, "-m", mtu, "--progress", "polling"), TEST_PORT,
            ours(sender, program, "-d", link.sender(), "-D", time, "-s", size, "-m", mtu, "--progress", "polling", "--report_gbits",
                "--json", "-", link.receiver()), text -> Map.of(key, readPerftest(text)));
    }

    /** The goodput of the only row. */
    static double readPerftest(String text) {
        if (JsonReader.read(text) instanceof Map<?, ?> root && root.get("results") instanceof List<?> rows && rows.size() == 1
            && rows.get(0) instanceof Map<?, ?> row) {
            return OwnJobs.number(row, "average_gbit_per_s");
        }
        throw new IllegalArgumentException("there is not one result");
    }

    /** {@code raw}: plain sockets in Java. */
    private Job rawJava(VethLink link) {
        String payload = Integer.toString(link.pathMtu());
        String port = Integer.toString(RAW_PORT);
        return new Job(OwnJobs.RAW, link.key("raw"), ours(receiver, "raw", "--receive", "-d", link.receiver(), "-p", port, "-s", payload,
            link.sender()), RAW_PORT,
            ours(sender, "raw", "-d", link.sender(), "-p", port, "-s", payload, "-D", seconds, "--json", "-", link.receiver()),
            text -> Map.of(link.key("raw"), OwnJobs.number(PeerJobs.object(text), "gigabits_per_second")));
    }

    /** {@code c/gro}, {@code c/gather}, {@code c/mmsg}: the C program enters both namespaces itself. */
    private Job rawC(String program, VethLink link, String key, String... how) {
        List<String> words = new ArrayList<>(List.of(program, "bw", Integer.toString(link.pathMtu()), how[0], seconds));
        words.addAll(List.of(how).subList(1, how.length));
        words.addAll(List.of(sender, link.sender(), receiver, link.receiver()));
        return Job.of(PeerJobs.RAW_C, link.key("c/" + key), words, text -> new LinkedHashMap<>(Map.of(link.key("c/" + key),
            OwnJobs.number(PeerJobs.object(text), "gigabits_per_second"))));
    }
}
