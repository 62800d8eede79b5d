package io.rxe.bench.compare;

import io.rxe.bench.JsonReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measurements of this program: queue pairs, and raw UDP in Java. */
public final class OwnJobs {
    /** Name of the NIC among the contenders. */
    public static final String RXE = "rxe";
    /** Name of raw UDP in Java among the contenders. */
    public static final String RAW = "raw Java";

    private static final double NS_PER_US = 1e3;

    private final List<String> launcher;
    private final int port;
    private final String seconds;

    /**
     * @param launcher   the command line of this program, up to the name of a command.
     * @param port       UDP port of both NICs.
     * @param durationNs time of each measurement.
     */
    public OwnJobs(List<String> launcher, int port, long durationNs) {
        this.launcher = List.copyOf(launcher);
        this.port = port;
        this.seconds = String.format(Locale.ROOT, "%.3f", durationNs / 1e9);
    }

    /**
     * Figures of the NIC: {@code rxe/OPERATION/SIZE/MTU} in Gbit/s, {@code rxe/rate/OPERATION} with one queue pair and
     * {@code rxe/many/OPERATION} with many, {@code rxe/spin/p50} and so on.
     */
    public List<Job> nic() {
        List<Job> jobs = new ArrayList<>();
        for (int mtu : new int[] {4096, 1024}) {
            jobs.add(loopback("goodput, MTU " + mtu, row -> goodput(row, "", mtu), "--ops", "send,write,read", "--sizes", "64k,1m",
                "--mtu", Integer.toString(mtu)));
            jobs.add(loopback("goodput without GRO, MTU " + mtu, row -> goodput(row, "/single", mtu), "--ops", "send,write", "--sizes",
                "1m", "--gro", "off", "--mtu", Integer.toString(mtu)));
        }
        jobs.add(loopback("message rates and round trips", row -> {
            Map<String, Double> figures = rate(row, "rxe/rate/");
            if (figures.containsKey("rxe/rate/send")) {
                figures.putAll(trips(row, "rxe/block"));
            }
            return figures;
        }, "--ops", "send,write,read,cas,fadd", "--sizes", "64"));
        jobs.add(loopback("message rate, " + Works.MANY_QUEUE_PAIRS + " queue pairs", row -> rate(row, "rxe/many/"), "--ops", "send",
            "--sizes", "64", "--qps", Integer.toString(Works.MANY_QUEUE_PAIRS)));
        jobs.add(loopback("round trips, spinning", row -> trips(row, "rxe/spin"), "--ops", "send", "--sizes", "64", "--spin"));
        return jobs;
    }

    /** Figures of raw UDP in Java: {@code raw/gro/PAYLOAD} in Gbit/s, {@code raw/rate}, {@code raw/spin/p50} and so on. */
    public List<Job> raw() {
        List<Job> jobs = new ArrayList<>();
        jobs.add(Job.of(RAW, "raw UDP", command("--raw"), text -> readRaw(text, "raw/gro")));
        jobs.add(Job.of(RAW, "raw UDP without GRO", command("--raw", "--gro", "off", "--sizes", "4096,1024"),
            text -> readRaw(text, "raw/single")));
        return jobs;
    }

    private List<String> command(String... options) {
        List<String> words = new ArrayList<>(launcher);
        words.addAll(List.of("loopback", "--port", Integer.toString(port), "--duration", seconds, "--json", "-"));
        words.addAll(List.of(options));
        return words;
    }

    private Job loopback(String what, RowReader reader, String... options) {
        return Job.of(RXE, what, command(options), text -> {
            Map<String, Double> figures = new LinkedHashMap<>();
            rows(text, "measurements").forEach(row -> figures.putAll(reader.read(row)));
            return figures;
        });
    }

    private static Map<String, Double> goodput(Map<?, ?> row, String kind, int mtu) {
        String key = "rxe" + kind + '/' + operation(row) + '/' + (long) number(row, "size_bytes") + '/' + mtu;
        return Map.of(key, number(row, "gigabits_per_second"));
    }

    private static String operation(Map<?, ?> row) {
        return row.get("operation").toString().replace("rdma_", "");
    }

    private static Map<String, Double> rate(Map<?, ?> row, String key) {
        return new LinkedHashMap<>(Map.of(key + operation(row), number(row, "messages_per_second")));
    }

    private static Map<String, Double> trips(Map<?, ?> row, String key) {
        Map<?, ?> trip = (Map<?, ?>) row.get("round_trip_ns");
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(key + "/p50", number(trip, "p50") / NS_PER_US);
        figures.put(key + "/p99", number(trip, "p99") / NS_PER_US);
        return figures;
    }

    private static Map<String, Double> readRaw(String text, String key) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Map<?, ?> row : rows(text, "raw")) {
            long payload = (long) number(row, "payload_bytes");
            figures.put(key + '/' + payload, number(row, "gigabits_per_second"));
            if (payload == 64) {
                figures.put("raw/rate", number(row, "frames_per_second"));
                for (String kind : List.of("spin", "block")) {
                    for (String percentile : List.of("p50", "p99")) {
                        figures.put("raw/" + kind + '/' + percentile, number(row, kind + '_' + percentile + "_ns") / NS_PER_US);
                    }
                }
            }
        }
        return figures;
    }

    private static List<Map<?, ?>> rows(String text, String name) {
        List<Map<?, ?>> rows = new ArrayList<>();
        if (JsonReader.read(text) instanceof Map<?, ?> root && root.get(name) instanceof List<?> list) {
            list.forEach(row -> rows.add((Map<?, ?>) row));
        }
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("there are no " + name);
        }
        return rows;
    }

    static double number(Map<?, ?> fields, String name) {
        if (fields.get(name) instanceof Double value) {
            return value;
        }
        throw new IllegalArgumentException("'" + name + "' is not a number but " + fields.get(name));
    }

    /** Reads figures out of a row. */
    private interface RowReader {
        Map<String, Double> read(Map<?, ?> row);
    }
}
