package io.rxe.tools.rping;

import io.rxe.bench.TransferFailure;
import io.rxe.cm.Listener;
import io.rxe.net.InterfaceInfo;
import io.rxe.net.RxeNic;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.NicOptionsWithoutAddress;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WorkAlike;
import io.rxe.verbs.Operation;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.UnknownHostException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code rxe rping}.
 *
 * <pre>{@code
 *   client                                          server
 *     | -- SEND: where its text lies ------------------> |
 *     | <------------------------------ READ: the text - |
 *     | <------------------------------ SEND: go ahead - |
 *     | -- SEND: where the text may return ------------> |
 *     | <----------------------------- WRITE: the text - |
 *     | <------------------------------ SEND: go ahead - |   the next ping, or the end
 * }</pre>
 */
@Command(name = "rping", sortOptions = false,
    description = {"Ping over RDMA with connection management, as rping does.",
        "The server reads each ping from the client's memory and writes it back; it serves one client."},
    footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0, our address being 10.0.0.1:",
        "  here   rxe rping -s -a 10.0.0.1 -v", "  there  rping -c -a 10.0.0.1 -C 5 -vV", "or the other way round:",
        "  there  rping -s -v", "  here   rxe rping -c -a 10.0.0.2 -C 5 -vV"})
public final class RpingCommand implements Callable<Integer>, WorkAlike {
    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptionsWithoutAddress nic;

    @Option(names = "-s", order = 1, description = "Run as server.")
    private boolean server;

    @Option(names = "-c", order = 2, description = "Run as client.")
    private boolean client;

    @Option(names = "-a", paramLabel = "ADDR", order = 3,
        description = "Address of the server: the client connects to it, the server's NIC binds it (default: 127.0.0.1).")
    private String address;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7174", order = 4, description = "Port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "-I", paramLabel = "ADDR", order = 5,
        description = "Local address of the client (default: that of the route to the server).")
    private String source;

    @Option(names = "-C", paramLabel = "N", defaultValue = "0", order = 6,
        description = "Client: number of pings; 0 = until interrupted (default: ${DEFAULT-VALUE}).")
    private int count;

    @Option(names = "-S", paramLabel = "BYTES", defaultValue = "64", order = 7,
        description = "Size of a ping, " + PingText.MIN_SIZE_BYTES + " to " + PingText.MAX_SIZE_BYTES + " (default: ${DEFAULT-VALUE}).")
    private int sizeBytes;

    @Option(names = "-V", order = 8, description = "Client: compare the returned data.")
    private boolean validate;

    // rping uses -V, so there is no standard help mixin.
    @Option(names = {"-h", "--help"}, usageHelp = true, order = 9, description = "Show this help message and exit.")
    private boolean help;

    @Option(names = "--connect-timeout", paramLabel = "TIME", defaultValue = "30s", order = 10, converter = DurationConverter.class,
        description = "Give up after TIME without a reply from the server; rdma_cm waits 98 s (default: ${DEFAULT-VALUE}).")
    private long connectNs;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "30s", order = 11, converter = DurationConverter.class,
        description = "Give up after TIME without activity of a connected peer (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    @Override
    public String stockProgram() {
        return "rping";
    }

    @Override
    public Integer call() {
        if (server == client) {
            throw usageError(server ? "-s and -c exclude each other: choose one" : "-s (server) or -c (client) is missing");
        }
        if (client && address == null) {
            throw usageError("-c needs -a ADDR, the address of the server");
        }
        OptionText.inRange(spec.commandLine(), "port", port, 1, 65_535);
        OptionText.inRange(spec.commandLine(), "count", count, 0, Integer.MAX_VALUE);
        OptionText.inRange(spec.commandLine(), "size", sizeBytes, PingText.MIN_SIZE_BYTES, PingText.MAX_SIZE_BYTES);
        PrintWriter err = spec.commandLine().getErr();
        nic.address(server ? address == null ? NicOptions.DEFAULT_ADDRESS : address : source == null ? routeTo(address) : source);
        try (RxeNic opened = nic.open(err);
             PingConnection connection = new PingConnection(opened, server ? "server" : "client", sizeBytes, err)) {
            if (server) {
                serve(opened, connection, err);
            } else {
                connect(opened, connection, err);
                ping(connection, err);
            }
            return ExitStatus.OK;
        } catch (TransferFailure e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private ParameterException usageError(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static String routeTo(String host) {
        try {
            return InterfaceInfo.towards(host).getHostAddress();
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private void serve(RxeNic opened, PingConnection connection, PrintWriter err) {
        try (Listener listener = connection.listen(port)) {
            if (nic.isVerbose()) {
                err.println("listening on " + nic.address() + " TCP port " + listener.port());
            }
            connection.accept();
            nic.showProgress(opened, err);
            while (isRead() && reply(connection)) {
                // Until the client ends.
            }
            if (connection.isAborted()) {
                throw new ToolFailure("the connection to " + connection.peer() + " ended" + connection.endReason());
            }
            err.println("wait for RDMA_READ_ADV state 10");
        }
    }

    /** Replies to one ping. Returns false if the client has ended. */
    private boolean reply(PingConnection connection) {
        BufferAdvert from = connection.awaitMessage("its next ping", stallNs);
        if (from == null) {
            return false;
        }
        if (from.sizeBytes() < 0 || from.sizeBytes() > sizeBytes) {
            throw new ToolFailure("the pings of " + connection.peer() + " have " + Integer.toUnsignedString(from.sizeBytes())
                + " bytes, this server's buffer has " + sizeBytes + ": use the same -S at both ends");
        }
        connection.read(from);
        if (!connection.await(Operation.RDMA_READ, "the data of its ping", stallNs)) {
            return false;
        }
        print("server ping data: ", connection);
        connection.sendGoAhead();
        BufferAdvert to = connection.awaitMessage("the place for its data", stallNs);
        if (to == null) {
            return false;
        }
        connection.write(to, Math.min(PingText.length(connection.sink()) + 1, sizeBytes));
        if (!connection.await(Operation.RDMA_WRITE, "the acknowledgement of its data", stallNs)) {
            return false;
        }
        connection.sendGoAhead();
        return true;
    }

    private void connect(RxeNic opened, PingConnection connection, PrintWriter err) {
        Gid peer;
        try {
            peer = opened.resolve(address);
        } catch (UnknownHostException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        if (peer.equals(opened.device().gid())) {
            throw new ToolFailure(address + " is the address of this NIC itself: give the server's address, or use -I to bind another local"
                + " address");
        }
        connection.connect(peer, port, connectNs);
        nic.showProgress(opened, err);
    }

    private void ping(PingConnection connection, PrintWriter err) {
        for (int ping = 0; (count == 0 || ping < count) && isRead(); ping++) {
            PingText.fill(connection.source(), ping);
            connection.send(connection.sourceAdvert());
            if (connection.awaitMessage("the go-ahead of ping " + ping, stallNs) != null) {
                connection.send(connection.sinkAdvert());
            }
            if (connection.awaitMessage("the return of ping " + ping, stallNs) == null) {
                throw new ToolFailure(connection.peer() + " disconnected after " + ping + (count == 0 ? "" : " of " + count)
                    + " pings: see its output for the reason" + connection.endReason());
            }
            if (validate && !connection.source().equals(connection.sink())) {
                err.println("data mismatch!");
                throw new ToolFailure("ping " + ping + " differs at byte " + connection.source().mismatch(connection.sink()) + " of "
                    + sizeBytes + ": the server returned other data than it was sent");
            }
            print("ping data: ", connection);
        }
        connection.disconnect();
    }

    private void print(String title, PingConnection connection) {
        if (nic.isVerbose()) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(title + PingText.of(connection.sink()));
            // A run that hangs shows how far it got.
            out.flush();
        }
    }

    /** False where nobody takes the output any more: without a count there is no other end. */
    private boolean isRead() {
        return !spec.commandLine().getOut().checkError();
    }
}
