package io.rxe.testkit.flood;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicOptions;
import io.rxe.wire.Gid;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code flood}: one end of the transfer of {@code tools/flood}. Runs until its standard input ends. */
@Command(name = "flood", description = "Serves the transfer of tools/flood, or is its client; see docs/flood.md.")
public final class FloodCommand implements Callable<Integer> {
    private static volatile boolean ended;

    @Parameters(arity = "0..1", paramLabel = "ADDR", description = "Address of the server, for its client.")
    private String server;

    @Option(names = "--group", paramLabel = "ADDR", description = "Multicast group that a UD queue pair of the server joins.")
    private String group;

    @Mixin
    private final NicOptions nicOptions = new NicOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (RxeNic nic = nicOptions.open(spec.commandLine().getErr())) {
            Consumer<String> onLine = server == null ? new FloodServer(nic, group == null ? null : Gid.parse(group), out).begin()
                : new FloodClient(nic, Gid.parse(server), out).begin();
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).lines().forEach(onLine);
            ended = true;
        }
        return 0;
    }

    /** Prints a line that the script reads at once. Any thread. */
    static void print(PrintWriter out, String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    /** Starts a thread that does not keep the process alive. What it throws is seen, but not that the NIC was closed at the end. */
    static void start(String name, Callable<Void> body) {
        Thread thread = new Thread(() -> {
            try {
                body.call();
            } catch (Exception e) {
                if (!ended) {
                    e.printStackTrace();
                }
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}
