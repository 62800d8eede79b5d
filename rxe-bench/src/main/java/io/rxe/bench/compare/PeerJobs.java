package io.rxe.bench.compare;

import io.rxe.bench.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measurements of other programs, as far as they are installed. {@code tools/compare} puts them into one folder; the shell's PATH is
 * searched
 * as well.
 */
public final class PeerJobs {
    /** Name of raw UDP in C among the contenders. */
    public static final String RAW_C = "raw C";
    /** Name of Aeron among the contenders. */
    public static final String AERON = "Aeron";
    /** Name of UCX among the contenders. */
    public static final String UCX = "UCX";
    /** Name of libfabric among the contenders. */
    public static final String FABRIC = "libfabric";
    /** Name of a TCP stream of iperf3 among the contenders. */
    public static final String IPERF = "iperf3 TCP";
    /** Name of datagrams of iperf3 among the contenders. */
    public static final String IPERF_UDP = "iperf3 UDP";

    private static final int UCX_PORT = 13_341;
    private static final int FABRIC_PORT = 47_593;
    private static final int IPERF_PORT = 15_202;
    private static final int SMALL_BYTES = 64;
    private static final double BITS = 8;
    private static final double MEBIBYTE = 1 << 20;

    private final Path folder;
    private final List<String> java;
    private final String seconds;
    private final Map<String, String> missing = new LinkedHashMap<>();

    /**
     * @param folder     with what tools/compare fetched and built; may be empty or not exist.
     * @param java       the command that starts this Java.
     * @param durationNs time of each measurement.
     */
    public PeerJobs(Path folder, List<String> java, long durationNs) {
        this.folder = folder;
        this.java = List.copyOf(java);
        this.seconds = String.format(Locale.ROOT, "%.3f", durationNs / 1e9);
    }

    /** Contenders that are not installed, and why. Complete after the methods that make jobs were called. */
    public Map<String, String> missing() {
        return missing;
    }

    /**
     * {@code c/gro/PAYLOAD}, {@code c/gather/PAYLOAD} where the kernel gathers the payload, {@code c/mmsg/PAYLOAD} and
     * {@code c/single/PAYLOAD} without GRO, all in Gbit/s; {@code c/rate}, {@code c/gather/rate}, {@code c/spin/p50} and so on.
     */
    public List<Job> limit() {
        String program = limitProgram();
        List<Job> jobs = new ArrayList<>();
        if (program != null) {
            for (int payload : new int[] {4096, 1024, SMALL_BYTES}) {
                jobs.add(goodput(program, payload, "c/gro/", "gro"));
                jobs.add(goodput(program, payload, "c/gather/", "gro", "gather"));
            }
            for (int payload : new int[] {4096, 1024}) {
                jobs.add(goodput(program, payload, "c/mmsg/", "mmsg"));
                jobs.add(goodput(program, payload, "c/single/", "single"));
            }
            for (String how : List.of("spin", "block")) {
                jobs.add(Job.of(RAW_C, "round trips " + how, List.of(program, "rtt", "64", how, seconds),
                    text -> Map.of("c/" + how + "/p50", OwnJobs.number(object(text), "p50_us"),
                        "c/" + how + "/p99", OwnJobs.number(object(text), "p99_us"))));
            }
        }
        return jobs;
    }

    private Job goodput(String program, int payload, String key, String how, String... gather) {
        List<String> words = new ArrayList<>(List.of(program, "bw", Integer.toString(payload), how, seconds));
        words.addAll(List.of(gather));
        String name = key + (payload == SMALL_BYTES ? "rate" : Integer.toString(payload));
        return Job.of(RAW_C, "goodput " + name, words, text -> Map.of(name.replace("gro/rate", "rate"),
            OwnJobs.number(object(text), payload == SMALL_BYTES ? "frames_per_second" : "gigabits_per_second")));
    }

    /** The C program, or null without one. */
    String limitProgram() {
        return program("udp-limit", RAW_C, "no C compiler built it; install gcc");
    }

    /** {@code aeron/MTU} in Gbit/s, messages of 64 KiB; the better of one driver thread and three. */
    public List<Job> aeron() {
        Path jar = folder.resolve("aeron-all.jar");
        Path program = folder.resolve("AeronPeer.java");
        List<Job> jobs = new ArrayList<>();
        if (!Files.exists(jar) || !Files.exists(program)) {
            missing.put(AERON, "its jar (io.aeron:aeron-all) could not be fetched");
            return jobs;
        }
        for (int mtu : new int[] {8192, 1408}) {
            for (String threads : List.of("shared", "dedicated")) {
                List<String> words = new ArrayList<>(java);
                words.addAll(List.of("--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "-cp", jar.toString(), program.toString(),
                    "goodput", Integer.toString(mtu), "65536", threads, seconds));
                jobs.add(Job.of(AERON, "MTU " + mtu + ", driver " + threads, words,
                    text -> Map.of("aeron/" + threads + '/' + mtu, OwnJobs.number(object(text), "gigabits_per_second"))));
            }
        }
        return jobs;
    }

    /** {@code ucx/SIZE} in Gbit/s over TCP, {@code ucx/rate} for 64 bytes. */
    public List<Job> ucx() {
        String program = program("ucx_perftest", UCX, "install ucx-utils");
        List<Job> jobs = new ArrayList<>();
        if (program != null) {
            int[][] sizesAndCounts = {{65_536, 20_000}, {1 << 20, 3_000}, {64, 300_000}};
            for (int[] test : sizesAndCounts) {
                String port = Integer.toString(UCX_PORT);
                jobs.add(new Job(UCX, "tag_bw " + test[0], List.of(program, "-p", port), UCX_PORT,
                    List.of(program, "127.0.0.1", "-p", port, "-t", "tag_bw", "-s", Integer.toString(test[0]), "-n",
                        Integer.toString(test[1]), "-w", Integer.toString(test[1] / 10), "-f"),
                    text -> readUcx(text, test[0])));
            }
        }
        return jobs;
    }

    /** The last line of figures: iterations, three of overhead, two of MB/s, two of messages per second. */
    static Map<String, Double> readUcx(String text, int size) {
        Matcher line = Pattern.compile("(?m)^\\s+\\d+((?:\\s+[\\d.]+){7})\\s*$").matcher(text);
        String last = null;
        while (line.find()) {
            last = line.group(1).strip();
        }
        if (last == null) {
            throw new IllegalArgumentException("no line of figures");
        }
        String[] columns = last.split("\\s+");
        double overallMebibytes = Double.parseDouble(columns[4]);
        double overallRate = Double.parseDouble(columns[6]);
        return size == 64 ? Map.of("ucx/rate", overallRate) : Map.of("ucx/" + size, overallMebibytes * MEBIBYTE * BITS / 1e9);
    }

    /** {@code fabric/SIZE} in Gbit/s: fi_pingpong over udp;ofi_rxd, the only bandwidth program that Debian packages. */
    public List<Job> fabric() {
        String program = program("fi_pingpong", FABRIC, "install libfabric-bin");
        List<Job> jobs = new ArrayList<>();
        if (program != null) {
            for (int size : new int[] {65_536, 1 << 20}) {
                String port = Integer.toString(FABRIC_PORT);
                List<String> common = List.of("-p", "udp;ofi_rxd", "-e", "rdm", "-S", Integer.toString(size), "-I",
                    Integer.toString(size == 65_536 ? 3_000 : 300));
                List<String> server = new ArrayList<>(List.of(program, "-B", port));
                server.addAll(common);
                List<String> client = new ArrayList<>(List.of(program, "-P", port));
                client.addAll(common);
                client.add("127.0.0.1");
                jobs.add(new Job(FABRIC, "pingpong " + size, server, FABRIC_PORT, client,
                    text -> Map.of("fabric/" + size, readFabric(text))));
            }
        }
        return jobs;
    }

    /** Columns: bytes, sent, acknowledged, total, time, MB/sec (10^6 bytes). */
    static double readFabric(String text) {
        Matcher line = Pattern.compile("(?m)^\\S+\\s+\\S+\\s+=\\S+\\s+\\S+\\s+\\S+s\\s+([\\d.]+)\\s").matcher(text);
        if (!line.find()) {
            throw new IllegalArgumentException("no line of figures");
        }
        return Double.parseDouble(line.group(1)) * BITS / 1e3;
    }

    /** {@code iperf/tcp} in Gbit/s. */
    public List<Job> iperf() {
        String program = iperfProgram();
        return program == null ? List.of() : List.of(iperf(program, List.of(), List.of(), "127.0.0.1", "iperf/tcp"));
    }

    /** iperf3, or null without it. */
    String iperfProgram() {
        return program("iperf3", IPERF, "install iperf3");
    }

    /**
     * A run of iperf3.
     *
     * @param serverPrefix words before the server's command.
     * @param clientPrefix words before the client's command.
     * @param host         the server's address.
     * @param key          name of the figure; one that ends in {@code udp} is measured with datagrams.
     */
    Job iperf(String program, List<String> serverPrefix, List<String> clientPrefix, String host, String key) {
        String port = Integer.toString(IPERF_PORT);
        boolean isUdp = key.endsWith("udp");
        List<String> server = new ArrayList<>(serverPrefix);
        server.addAll(List.of(program, "-s", "-1", "-p", port));
        List<String> client = new ArrayList<>(clientPrefix);
        client.addAll(List.of(program, "-c", host, "-p", port, "-t",
            Long.toString(Math.max(1, Math.round(Double.parseDouble(seconds)))), "-J"));
        if (isUdp) {
            // As fast as it can; what arrives counts.
            client.addAll(List.of("-u", "-b", "0"));
        }
        return new Job(isUdp ? IPERF_UDP : IPERF, key, server, IPERF_PORT, client, text -> Map.of(key, readIperf(text)));
    }

    static double readIperf(String text) {
        if (object(text).get("end") instanceof Map<?, ?> end && end.get("sum_received") instanceof Map<?, ?> sum) {
            return OwnJobs.number(sum, "bits_per_second") / 1e9;
        }
        throw new IllegalArgumentException("no sum_received");
    }

    static Map<?, ?> object(String text) {
        if (JsonReader.read(text) instanceof Map<?, ?> fields) {
            return fields;
        }
        throw new IllegalArgumentException("no object");
    }

    private String program(String name, String contender, String remedy) {
        List<Path> places = new ArrayList<>(List.of(folder.resolve("bin").resolve(name)));
        for (String place : System.getenv().getOrDefault("PATH", "").split(":")) {
            places.add(Path.of(place, name));
        }
        for (Path place : places) {
            if (Files.isExecutable(place)) {
                return place.toString();
            }
        }
        missing.put(contender, name + " is not on this machine: " + remedy);
        return null;
    }
}
