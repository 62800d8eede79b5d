package io.rxe.testkit.agent;

import io.rxe.net.RxeNic;
import io.rxe.tools.cli.NicOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code agent}: our end of those scripted cases of {@code tools/kernel-peer verify} that need verbs which libibverbs has not. Serves
 * one connection at a time, until it is killed.
 */
@Command(name = "agent",
    description = "Execute verbs commands that arrive as lines on a TCP connection; see tools/interop/README.md.")
public final class AgentCommand implements Callable<Integer> {
    @Option(names = "--listen", required = true, paramLabel = "PORT", description = "TCP port to listen on.")
    private int listenPort;

    @Mixin
    private final NicOptions nicOptions = new NicOptions();

    @Spec
    private CommandSpec spec;

    @Override
    @SuppressWarnings("InfiniteLoopStatement")
    public Integer call() throws IOException {
        try (RxeNic nic = nicOptions.open(spec.commandLine().getErr()); ServerSocket server = new ServerSocket(listenPort)) {
            while (true) {
                try (Socket connection = server.accept(); AgentSession session = new AgentSession(nic)) {
                    connection.setTcpNoDelay(true);
                    serve(connection, session);
                }
            }
        }
    }

    private static void serve(Socket connection, AgentSession session) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            connection.getOutputStream().write((session.reply(line) + '\n').getBytes(StandardCharsets.US_ASCII));
        }
    }
}
