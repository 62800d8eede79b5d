package io.rxe.testkit.neighbour;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run: programs of perftest send WRITEs of 64 KiB through a bottleneck, each from a host of its own, perhaps with one flow of TCP
 * beside them or alone, while a ping passes the same queue. Shares are those of the time of the ping, in which all send.
 *
 * @param mbits    payload of all programs, Mbit/s.
 * @param tcpMbits payload of TCP, 0 without it.
 * @param shares   bytes that each host sent, that of TCP last.
 * @param dropped  share of the packets to the receiver.
 * @param idleMs   ping of the idle path, median.
 * @param medianMs ping meanwhile, median.
 * @param p99Ms    the same, 99th percentile.
 */
record SharedRun(double mbits, double tcpMbits, double[] shares, double dropped, double idleMs, double medianMs, double p99Ms) {
    private static final int FIRST_PORT = 18515;
    private static final int TCP_PORT = 5201;
    private static final int START_SECONDS = 60;
    private static final double MBITS_PER_MIB = 8 * 1.048576;
    /** Of 1024 * 1024 bytes a second. */
    private static final Pattern BANDWIDTH = Pattern.compile("(?m)^ 65536 +\\d+ +[\\d.]+ +([\\d.]+)");
    private static final Pattern TCP_BANDWIDTH = Pattern.compile("(\\d+) Kbits/sec +receiver");
    private static final Pattern PING = Pattern.compile("time=([\\d.]+) ms");

    /**
     * Runs it.
     *
     * @param rxe the script.
     * @param log folder for what the programs print.
     * @param tcp congestion control of TCP, null for none.
     */
    static SharedRun of(Bottleneck network, String rxe, Path log, int programs, int queuePairs, String tcp, int seconds, int warmUp)
        throws IOException, InterruptedException {
        boolean hasTcp = tcp != null;
        double[] idle = ping(network, log, 1);
        List<Process> all = new ArrayList<>();
        try {
            for (int number = 0; number < programs; number++) {
                all.add(network.onReceiver(log.resolve("server" + number).toFile(), network.receiverAddress(number),
                    perftest(rxe, network.payloadBytes(), queuePairs, seconds, number)));
            }
            if (hasTcp) {
                all.add(network.onReceiver(log.resolve("tcp-server").toFile(), "", List.of("iperf3", "-s", "-p", "" + TCP_PORT)));
            }
            for (int number = 0; number < programs + (hasTcp ? 1 : 0); number++) {
                await(network, number < programs ? FIRST_PORT + number : TCP_PORT);
            }
            Bottleneck.Queue before = network.queue();
            List<Process> clients = new ArrayList<>();
            for (int number = 0; number < programs; number++) {
                List<String> command = perftest(rxe, network.payloadBytes(), queuePairs, seconds, number);
                command.add(network.receiverAddress(number));
                clients.add(network.onSender(1 + number, log.resolve("client" + number).toFile(), command));
            }
            if (hasTcp) {
                clients.add(network.onSender(1 + programs, log.resolve("tcp").toFile(), List.of("iperf3", "-c", network.receiverAddress(0),
                    "-p", "" + TCP_PORT, "-C", tcp, "-f", "k", "-O", "1", "-t", "" + seconds)));
            }
            all.addAll(clients);
            TimeUnit.SECONDS.sleep(1 + warmUp);
            double[] begun = network.sent(programs + (hasTcp ? 1 : 0));
            double[] shared = ping(network, log, seconds - 1 - warmUp);
            double[] shares = network.sent(begun.length);
            Arrays.setAll(shares, host -> shares[host] - begun[host]);
            for (Process client : clients) {
                if (!client.waitFor(START_SECONDS + seconds, TimeUnit.SECONDS)) {
                    throw new IOException("a program does not end, see " + log);
                }
            }
            Bottleneck.Queue after = network.queue();
            long dropped = after.dropped() - before.dropped();
            double mbits = 0;
            for (int number = 0; number < programs; number++) {
                mbits += MBITS_PER_MIB * figure(log.resolve("client" + number), BANDWIDTH);
            }
            double tcpMbits = hasTcp ? figure(log.resolve("tcp"), TCP_BANDWIDTH) / 1000 : 0;
            return new SharedRun(mbits, tcpMbits, shares, dropped / (double) Math.max(1, after.packets() - before.packets() + dropped),
                idle[idle.length / 2], shared[shared.length / 2], shared[(int) (shared.length * 0.99)]);
        } finally {
            all.forEach(Process::destroyForcibly);
        }
    }

    private static List<String> perftest(String rxe, int payloadBytes, int queuePairs, int seconds, int number) {
        return new ArrayList<>(List.of(rxe, "run", "--", "ib_write_bw", "-s", "65536", "-q", "" + queuePairs, "-D", "" + seconds, "-m",
            "" + payloadBytes, "-p", "" + (FIRST_PORT + number)));
    }

    private static void await(Bottleneck network, int port) throws IOException, InterruptedException {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!network.isListening(port)) {
            if (System.nanoTime() > untilNs) {
                throw new IOException("nothing listens at port " + port + " of the receiver");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Sorted round trips of a hundred pings in a second, in milliseconds. */
    private static double[] ping(Bottleneck network, Path log, int seconds) throws IOException, InterruptedException {
        File output = log.resolve("ping").toFile();
        network.onSender(1, output, List.of("ping", "-i", "0.01", "-s", "36", "-c", "" + 100 * seconds, network.receiverAddress(0)))
            .waitFor();
        double[] times = PING.matcher(Files.readString(output.toPath())).results().mapToDouble(one -> Double.parseDouble(one.group(1)))
            .sorted().toArray();
        if (times.length == 0) {
            throw new IOException("no ping was answered, see " + output);
        }
        return times;
    }

    private static double figure(Path output, Pattern pattern) throws IOException {
        String text = Files.readString(output);
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw new IOException("no result in " + output + ": " + text.strip().lines().reduce((first, last) -> last).orElse("nothing"));
        }
        return Double.parseDouble(found.group(1));
    }

    /** Jain's index of the shares: 1 when all are equal, 1 / n when one has all. */
    double fairness() {
        double sum = Arrays.stream(shares).sum();
        return sum * sum / shares.length / Arrays.stream(shares).map(share -> share * share).sum();
    }

    /** What the last host has of all. */
    double lastShare() {
        return shares[shares.length - 1] / Arrays.stream(shares).sum();
    }
}
