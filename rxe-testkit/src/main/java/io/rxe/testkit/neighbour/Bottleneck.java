package io.rxe.testkit.neighbour;

import static io.rxe.testkit.host.HostCommand.run;

import io.rxe.testkit.host.HostCommand;
import io.rxe.verbs.PathMtu;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Hosts that send through a router to one receiver, as network namespaces:
 *
 * <pre>
 *   sender 1 ──┐
 *   sender 2 ──┼── router ──[ queue, rate ]── receiver
 *   sender 3 ──┘
 * </pre>
 *
 * <p>Batches are cut before the router, so that one drop is one packet. The way back has the same rate. Needs root, ip, tc and nft.
 */
final class Bottleneck implements Closeable {
    private static final String ROUTER = "router";
    private static final String RECEIVER = "receiver";
    private static final int RECEIVER_NETWORK = 90;

    private final String prefix = "rxe-run-" + ProcessHandle.current().pid() + "-";
    private final int mtuBytes;

    /**
     * @param rate     of the line to the receiver, in the words of tc: 200mbit.
     * @param buffer   of the queue before it: 256kb.
     * @param mtuBytes of all links.
     */
    Bottleneck(String rate, String buffer, int mtuBytes, int senders) throws IOException {
        this.mtuBytes = mtuBytes;
        HostCommand.closeAtEnd(this);
        close();
        remove(Bottleneck::isLeft);
        add(ROUTER);
        run("ip", "netns", "exec", prefix + ROUTER, "sysctl", "-qw", "net.ipv4.ip_forward=1");
        join(RECEIVER, RECEIVER_NETWORK, senders, rate, buffer);
        for (int sender = 1; sender <= senders; sender++) {
            join(sender(sender), sender, 1, rate, buffer);
        }
    }

    /** Whether a run that was killed has left a namespace, of this command or another one: the name has the number of its process. */
    static boolean isLeft(String name) {
        return name.matches("rxe-run-\\d+-\\w+") && !new File("/proc", name.split("-")[2]).exists();
    }

    private static String sender(int number) {
        return "sender" + number;
    }

    private void add(String name) throws IOException {
        run("ip", "netns", "add", prefix + name);
        run("ip", "-n", prefix + name, "link", "set", "lo", "up");
    }

    private void join(String host, int network, int addresses, String rate, String buffer) throws IOException {
        add(host);
        run("ip", "-n", prefix + ROUTER, "link", "add", host, "mtu", "" + mtuBytes, "type", "veth", "peer", "name", "eth",
            "mtu", "" + mtuBytes, "netns", prefix + host);
        run("ip", "-n", prefix + ROUTER, "addr", "add", address(network, 1) + "/24", "dev", host);
        for (int number = 0; number < addresses; number++) {
            run("ip", "-n", prefix + host, "addr", "add", address(network, 2 + number) + "/24", "dev", "eth");
        }
        run("ip", "-n", prefix + ROUTER, "link", "set", host, "gso_max_segs", "1", "up");
        run("ip", "-n", prefix + host, "link", "set", "eth", "gso_max_segs", "1", "up");
        run("ip", "-n", prefix + host, "route", "add", "default", "via", address(network, 1));
        run("tc", "-n", prefix + ROUTER, "qdisc", "add", "dev", host, "root", "tbf", "rate", rate, "burst", "64kb", "limit", buffer);
    }

    /** Payload of a full packet of RoCE. */
    int payloadBytes() {
        return PathMtu.largestFor(mtuBytes).bytes();
    }

    /** From now on the router drops every n-th packet to the receiver, before the queue. */
    void drop(int n) throws IOException {
        run("ip", "netns", "exec", prefix + ROUTER, "nft", "add table ip drops; add chain ip drops router"
            + "{ type filter hook forward priority 0; }; add rule ip drops router oifname " + RECEIVER + " numgen inc mod " + n
            + " 0 drop");
    }

    /** RFC 2544 keeps these addresses for measurements. */
    private static String address(int network, int host) {
        return "198.18." + network + "." + host;
    }

    /** An address of the receiver, from 0 on. */
    String receiverAddress(int number) {
        return address(RECEIVER_NETWORK, 2 + number);
    }

    /** Starts a program on the receiver. */
    Process onReceiver(File output, String device, List<String> command) throws IOException {
        return start(prefix + RECEIVER, output, device, command);
    }

    /** Starts a program on a sender, from 1 on. */
    Process onSender(int number, File output, List<String> command) throws IOException {
        return start(prefix + sender(number), output, address(number, 2), command);
    }

    private static Process start(String namespace, File output, String device, List<String> command) throws IOException {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        words.addAll(command);
        ProcessBuilder builder = HostCommand.builder(words.toArray(String[]::new)).redirectErrorStream(true).redirectOutput(output);
        builder.environment().put("RXE_DEV", device);
        // Of many programs that run for seconds, the best code is not worth the processors that its compiler takes from the others.
        builder.environment().putIfAbsent("RXE_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=4");
        return HostCommand.start(builder);
    }

    /** Whether a program on the receiver accepts TCP connections at a port. */
    boolean isListening(int port) throws IOException {
        return HostCommand.isListening(run("ip", "netns", "exec", prefix + RECEIVER, "cat", "/proc/net/tcp", "/proc/net/tcp6"), port);
    }

    /** Bytes that have arrived at the router from each sender. */
    double[] sent(int senders) throws IOException {
        double[] bytes = new double[senders];
        for (int number = 1; number <= senders; number++) {
            bytes[number - 1] = Double.parseDouble(run("ip", "netns", "exec", prefix + ROUTER, "cat", "/sys/class/net/" + sender(number)
                + "/statistics/rx_bytes"));
        }
        return bytes;
    }

    /** Ends what still runs in them. */
    @Override
    public void close() throws IOException {
        remove(name -> name.startsWith(prefix));
    }

    private static void remove(Predicate<String> which) throws IOException {
        for (String namespace : Stream.of(run("ip", "netns", "list").split("\\s+")).filter(which).toList()) {
            for (String pid : run("ip", "netns", "pids", namespace).split("\n")) {
                ProcessHandle.of(pid.isBlank() ? -1 : Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
            run("ip", "netns", "del", namespace);
        }
    }
}
