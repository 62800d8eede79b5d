package io.rxe.net;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Gid;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One end of {@code tools/dev/migration}: a {@link MigratingEnd} in a process of its own, driven by lines on standard input. The answer to
 * each is a line on standard output, when what it asks for has happened.
 *
 * <pre>
 *   connect NUMBER   connected: to the queue pair of that number; from now on it sends all the time
 *   arm              armed: the path that is not in use is loaded, and the peer knows
 *   path N           path N: it uses that path, and 100 more messages have arrived
 *   stop             posted COUNT: it sends no more, and all it sent is acknowledged
 *   expect COUNT     received COUNT ...: COUNT messages have arrived; more is an error
 *   quit
 * </pre>
 */
final class MigrationProcess {
    /** Between two looks at the queues: 13 MB/s, so that the capture of a transfer stays below 1 GB. */
    private static final long PAUSE_NS = 20_000_000;
    private static final String QUIT = "quit";

    private final MigratingEnd end;
    private final List<Gid> peerPorts;
    private final int udpPort;
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private boolean isSending;
    private boolean isConnected;

    private MigrationProcess(MigratingEnd end, List<Gid> peerPorts, int udpPort) {
        this.end = end;
        this.peerPorts = peerPorts;
        this.udpPort = udpPort;
    }

    /** @param arguments own addresses, those of the peer, UDP port, and a file for a capture if there is to be one. */
    public static void main(String[] arguments) throws Exception {
        int udpPort = Integer.parseInt(arguments[2]);
        RxeNicOptions options = RxeNicOptions.defaults(arguments[0]).withUdpPort(udpPort).withCounterFile(false)
            .withCaptureFile(arguments.length < 4 ? null : Path.of(arguments[3]));
        List<Gid> peerPorts = new ArrayList<>();
        for (String address : arguments[1].split(",")) {
            peerPorts.add(Gid.parse(address));
        }
        try (MigratingEnd end = new MigratingEnd(options)) {
            new MigrationProcess(end, peerPorts, udpPort).run();
        }
    }

    private void run() {
        Thread reader = new Thread(this::read, "standard input");
        reader.setDaemon(true);
        reader.start();
        say("number " + end.queuePair.number());
        Supplier<String> waiting = null;
        while (true) {
            if (isConnected) {
                end.step(isSending);
            }
            String answer = waiting == null ? null : waiting.get();
            if (answer != null) {
                say(answer);
                waiting = null;
            }
            String line = waiting == null ? lines.poll() : null;
            if (QUIT.equals(line)) {
                return;
            }
            waiting = line == null ? waiting : begin(line.split(" "));
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void read() {
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().forEach(lines::add);
        lines.add(QUIT);
    }

    private static void say(String text) {
        System.out.println(text);
    }

    /** Returns what gives the answer to a command, or null as long as there is none. */
    private Supplier<String> begin(String[] words) {
        long argument = words.length < 2 ? 0 : Long.parseLong(words[1]);
        return switch (words[0]) {
            case "connect" -> {
                end.connectTo(new MigratingEnd.Peer((int) argument, udpPort, peerPorts), PathMtu.MTU_1024);
                isConnected = true;
                isSending = true;
                yield () -> "connected";
            }
            case "arm" -> () -> {
                end.rearm();
                return end.isArmed() ? "armed" : null;
            };
            case "path" -> {
                long[] before = {-1};
                yield () -> isOn((int) argument, before) ? "path " + argument : null;
            }
            case "stop" -> {
                isSending = false;
                yield () -> end.completed == end.posted ? "posted " + end.posted : null;
            }
            case "expect" -> () -> end.received < argument ? null : total(argument);
            default -> throw new IllegalArgumentException("'" + words[0] + "' is no command: see the documentation of this class");
        };
    }

    private boolean isOn(int path, long[] before) {
        if (end.path() != path) {
            return false;
        }
        before[0] = before[0] < 0 ? end.received : before[0];
        return end.received > before[0] + 100;
    }

    private String total(long expected) {
        if (end.received != expected || end.queuePair.state() != QueuePairState.RTS) {
            throw new AssertionError(end.received + " messages of " + expected + " arrived, " + end.queuePair.query());
        }
        return "received " + expected + " messages of " + MigratingEnd.MESSAGE_BYTES + " bytes, every byte right, " + end.migrations
            + " migrations, no failed request";
    }
}
