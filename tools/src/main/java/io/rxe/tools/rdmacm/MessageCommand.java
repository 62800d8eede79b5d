package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.tools.ExitStatus;
import io.rxe.tools.NicOptions;
import io.rxe.tools.ToolFailure;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What rdma_server and rdma_client have in common. */
abstract class MessageCommand implements Callable<Integer> {
    static final long FIRST_NOTE_NS = 3_000_000_000L;
    static final long FOREVER_NS = Long.MAX_VALUE;
    /** A disconnect request that is lost comes again after 6 s. */
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
            play(nicOptions, options, connectOptions, spec.commandLine().getErr());
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

    /** One conversation. */
    abstract void play(NicOptions nic, MessageOptions messages, ConnectOptions connecting, PrintWriter err);

    /** Waits for something the connected peer does. */
    final void await(ManagedNic nic, MessageEndpoint endpoint, BooleanSupplier done, String peer, String awaited) {
        while (!done.getAsBoolean()) {
            endpoint.checkConnected();
            if (!nic.serve(endpoint, connectOptions.stallNs())) {
                throw new ToolFailure(Wordings.stalled(peer, awaited, connectOptions.stallNs(), nicOptions.udpPort()));
            }
        }
    }

    /** Ends a connection whose work is done. */
    final void end(ManagedNic nic, MessageEndpoint endpoint, CmConnection connection) {
        connection.disconnect();
        while (!endpoint.isDisconnected() && nic.serve(endpoint, DISCONNECT_NS)) {
            // Until the peer has answered.
        }
        nic.linger(connectOptions.lingerNs());
    }
}
