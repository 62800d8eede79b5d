package io.rxe.testkit.neighbour;

import io.rxe.counters.CountersView;
import io.rxe.counters.NicCounter;
import io.rxe.testkit.host.HostCommand;
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
 * One run: programs send WRITEs of 64 KiB through a bottleneck, each from a host of its own, perhaps with one flow of TCP beside them or
 * alone, while a ping passes the same queue. With one queue pair each they are qperf, which sleeps while it waits; with several it is
 * perftest, which polls. All figures but that of TCP alone are those of the time of the ping, in which all send.
 *
 * @param mbits    payload of all programs, Mbit/s, without what was sent again.
 * @param tcpMbits payload of TCP, 0 without it.
 * @param shares   bytes that each host sent, that of TCP last.
 * @param again    share of the packets of the programs that were retransmissions.
 * @param idleMs   ping of the idle path, median.
 * @param medianMs ping meanwhile, median.
 * @param p99Ms    the same, 99th percentile.
 */
record SharedRun(double mbits, double tcpMbits, double[] shares, double again, double idleMs, double medianMs, double p99Ms) {
    private static final int FIRST_PORT = 18515;
    private static final int TCP_PORT = 5201;
    private static final int START_SECONDS = 60;
    /** More than a host sends before its program does. */
    private static final int BEGUN_BYTES = 1 << 17;
    /** Of a packet in the queue: Ethernet, IP, UDP, BTH and ICRC. */
    static final int HEADER_BYTES = 58;
    private static final Pattern TCP_BANDWIDTH = Pattern.compile("(\\d+) Kbits/sec +receiver");
    private static final Pattern PING = Pattern.compile("time=([\\d.]+) ms");

    /** Whether something has happened. */
    private interface Event {
        boolean isOver() throws IOException;
    }

    /**
     * Runs it.
     *
     * @param rxe the script.
     * @param log folder for what the programs print.
     * @param tcp congestion control of TCP, null for none.
     */
    static SharedRun of(Bottleneck network, String rxe, Path log, int programs, int queuePairs, String tcp, int seconds, int warmUp)
        throws IOException, InterruptedException {
        int hosts = programs + (tcp == null ? 0 : 1);
        int warmUpAll = warmUp * Math.max(1, programs);
        // The first still sends when the last has begun.
        int lasts = warmUpAll + seconds + 1 + hosts;
        double[] idle = ping(network, log, 1);
        List<Process> all = new ArrayList<>();
        try {
            for (int number = 0; number < programs; number++) {
                all.add(network.onReceiver(log.resolve("server" + number).toFile(), network.receiverAddress(number),
                    program(rxe, network, queuePairs, lasts, FIRST_PORT + number)));
            }
            if (tcp != null) {
                all.add(network.onReceiver(log.resolve("tcp-server").toFile(), "", List.of("iperf3", "-s", "-p", "" + TCP_PORT)));
            }
            for (int number = 0; number < hosts; number++) {
                int port = number < programs ? FIRST_PORT + number : TCP_PORT;
                await(() -> network.isListening(port), "nothing listens at port " + port + " of the receiver");
            }
            double[] idled = network.sent(hosts);
            List<Process> clients = new ArrayList<>();
            for (int number = 0; number < programs; number++) {
                List<String> command = program(rxe, network, queuePairs, lasts, FIRST_PORT + number);
                command.addAll(queuePairs > 1 ? List.of(network.receiverAddress(number)) : List.of("-cm1", "-m", "64K", "-t",
                    "" + lasts, network.receiverAddress(number), "rc_rdma_write_bw"));
                clients.add(network.onSender(1 + number, log.resolve("client" + number).toFile(), command));
            }
            if (tcp != null) {
                clients.add(network.onSender(hosts, log.resolve("tcp").toFile(), List.of("iperf3", "-c", network.receiverAddress(0),
                    "-p", "" + TCP_PORT, "-C", tcp, "-f", "k", "-O", "1", "-t", "" + lasts)));
            }
            all.addAll(clients);
            await(() -> Arrays.stream(minus(network.sent(hosts), idled)).allMatch(bytes -> bytes > BEGUN_BYTES), "not all send");
            TimeUnit.SECONDS.sleep(warmUpAll);
            double[] begun = network.sent(hosts);
            long[] packetsBegun = packets(clients);
            long begunNs = System.nanoTime();
            double[] shared = ping(network, log, seconds);
            double[] shares = minus(network.sent(hosts), begun);
            long[] packets = packets(clients);
            double again = (packets[1] - packetsBegun[1]) / (double) Math.max(1, packets[0] - packetsBegun[0]);
            double mbits = Arrays.stream(shares, 0, programs).sum() * 8e3 / (System.nanoTime() - begunNs) * (1 - again)
                * network.payloadBytes() / (network.payloadBytes() + HEADER_BYTES);
            for (Process client : clients) {
                await(() -> !client.isAlive(), "a program does not end");
            }
            return new SharedRun(mbits, tcp == null ? 0 : figure(log.resolve("tcp"), TCP_BANDWIDTH) / 1000, shares, again,
                idle[idle.length / 2], shared[shared.length / 2], shared[(int) (shared.length * 0.99)]);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + ", see " + log, e);
        } finally {
            all.forEach(Process::destroyForcibly);
        }
    }

    /** A server, and how a client begins. */
    private static List<String> program(String rxe, Bottleneck network, int queuePairs, int seconds, int port) {
        List<String> command = new ArrayList<>(List.of(rxe, "run", "--"));
        command.addAll(queuePairs > 1 ? List.of("ib_write_bw", "-s", "65536", "-q", "" + queuePairs, "-D", "" + seconds, "-m",
            "" + network.payloadBytes(), "-p", "" + port) : List.of("qperf", "-lp", "" + port));
        return command;
    }

    private static void await(Event event, String otherwise) throws IOException, InterruptedException {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!event.isOver()) {
            if (System.nanoTime() > untilNs) {
                throw new IOException(otherwise + " after " + START_SECONDS + " s");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static double[] minus(double[] now, double[] before) {
        double[] difference = now.clone();
        Arrays.setAll(difference, host -> now[host] - before[host]);
        return difference;
    }

    /** Packets that the NICs of programs have sent, and those of them that were retransmissions. */
    private static long[] packets(List<Process> programs) throws IOException {
        long[] packets = new long[2];
        for (Process program : programs) {
            for (CountersView view : HostCommand.counters(program.pid())) {
                for (CountersView.Counter counter : view.counters()) {
                    packets[0] += counter.label().equals(NicCounter.SENT_PKTS.label()) ? counter.value() : 0;
                    packets[1] += counter.label().equals(NicCounter.RETRANSMITTED_PKTS.label()) ? counter.value() : 0;
                }
            }
        }
        return packets;
    }

    /** Sorted round trips of a hundred pings in a second, fewer where the kernel's clock is coarse, in milliseconds. */
    private static double[] ping(Bottleneck network, Path log, int seconds) throws IOException, InterruptedException {
        File output = log.resolve("ping").toFile();
        network.onSender(1, output, List.of("ping", "-i", "0.01", "-s", "36", "-w", "" + seconds, network.receiverAddress(0)))
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
