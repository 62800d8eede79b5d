package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.ToolFailure;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Base of rdma_server and rdma_client. */
abstract class MessageCommand implements Callable<Integer> {
    static final long FIRST_NOTE_NS = 3_000_000_000L;
    static final long FOREVER_NS = Long.MAX_VALUE;
    /** A lost DREQ is retransmitted after 6 s. */
    private static final long DISCONNECT_NS = 20_000_000_000L;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nicOptions;

    @Mixin
    private MessageOptions options;

    @Mixin
    private ConnectOptions connectOptions;

    @Override
    public final Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        connectOptions.require("port", options.port(), 1, 65_535);
        print(out, spec.name() + ": start");
        try {
            exchange(nicOptions, options, connectOptions, spec.commandLine().getErr());
        } catch (ToolFailure e) {
            print(out, spec.name() + ": end -1");
            throw e;
        }
        print(out, spec.name() + ": end 0");
        return ExitStatus.OK;
    }

    private static void print(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }

    /** Connects and exchanges the two messages. */
    abstract void exchange(NicOptions nic, MessageOptions messages, ConnectOptions connecting, PrintWriter err);

    /** Waits for an action of the connected peer. */
    final void await(ManagedNic nic, MessageEndpoint endpoint, BooleanSupplier done, String peer, String awaited) {
        while (!done.getAsBoolean()) {
            endpoint.checkConnected();
            if (!nic.dispatch(endpoint, connectOptions.stallNs())) {
                throw new ToolFailure(RdmaCmMessages.stalled(peer, awaited, connectOptions.stallNs(), nicOptions.udpPort()));
            }
        }
    }

    /** Disconnects. */
    final void end(ManagedNic nic, MessageEndpoint endpoint, CmConnection connection) {
        connection.disconnect();
        while (!endpoint.isDisconnected() && nic.dispatch(endpoint, DISCONNECT_NS)) {
            // Until the DREP has arrived.
        }
        nic.linger(connectOptions.lingerNs());
    }
}
