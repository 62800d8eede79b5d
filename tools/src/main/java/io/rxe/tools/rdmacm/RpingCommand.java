package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Connector;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rxe rping}: rping of rdmacm-utils on our NIC. */
@Command(name = "rping", sortOptions = false,
    description = {"Ping over RDMA with connection management, as rping does.",
        "The server reads each ping from the client's memory and writes it back."},
    footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0, our address being 10.0.0.1:",
        "  here   rxe rping -s -a 10.0.0.1 -v", "  there  rping -c -a 10.0.0.1 -C 5 -vV", "or the other way round:",
        "  there  rping -s -v", "  here   rxe rping -c -a 10.0.0.2 -C 5 -vV"})
public final class RpingCommand implements Callable<Integer> {
    private static final int BACKLOG = 3;
    private static final long FIRST_NOTE_NS = 3_000_000_000L;
    /** A lost DREQ is retransmitted after 6 s. */
    private static final long DISCONNECT_NS = 20_000_000_000L;
    private static final long CHECK_NS = 1_000_000_000L;
    private static final long FOREVER_NS = Long.MAX_VALUE;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RpingOptions options;

    @Mixin
    private ConnectOptions connectOptions;

    @Override
    public Integer call() {
        options.check(connectOptions);
        PrintWriter err = spec.commandLine().getErr();
        PingLog log = new PingLog(spec.commandLine().getOut(), err, options.isVerbose(), options.isDebug());
        return options.isServer() ? serve(log, err) : ping(log, err);
    }

    private int serve(PingLog log, PrintWriter err) {
        connectOptions.bindServer(options, options.serverAddress(), "-a", err);
        int sessions = options.isPersistent() ? PingAcceptor.MAX_SESSIONS : 1;
        try (ManagedNic nic = ManagedNic.open(options, sessions * PingEndpoint.COMPLETIONS, err);
             Listener listener = nic.listen(PortSpace.TCP, options.port(), options.isPersistent() ? sessions : BACKLOG);
             PingAcceptor acceptor = new PingAcceptor(nic, options, log)) {
            log.debug("port %d", listener.port());
            log.debug("rdma_listen");
            while (!acceptor.isOver()) {
                nic.dispatch(acceptor, acceptor.isServing() ? CHECK_NS : FOREVER_NS);
                acceptor.endSilent(System.nanoTime(), connectOptions.stallNs());
            }
            nic.linger(connectOptions.lingerNs());
            if (!acceptor.failure().isEmpty()) {
                throw new ToolFailure(acceptor.failure());
            }
            return ExitStatus.OK;
        }
    }

    private int ping(PingLog log, PrintWriter err) {
        InetAddress server =
            HostNames.resolve(options.serverAddress(), connectOptions.givenAddress(options, options.source()));
        connectOptions.bindClient(options, options.source(), server);
        String peer = HostNames.text(server) + " port " + options.port();
        try (ManagedNic nic = ManagedNic.open(options, PingEndpoint.COMPLETIONS, err)) {
            Connector connector = nic.connector(HostNames.gid(server), "-I");
            try (PingEndpoint endpoint = new PingEndpoint(nic.device(), nic.completions(), options.sizeBytes())) {
                endpoint.postReceive();
                PingClient client = new PingClient(endpoint, log, options.count(), options.isValidate(), peer);
                CmConnection connection = connect(connector, endpoint, HostNames.gid(server));
                log.debug("created cm_id %x", connection.localCommunicationId());
                exchange(nic, client, peer, log);
                end(nic, client, connection);
            }
        }
        return ExitStatus.OK;
    }

    private CmConnection connect(Connector connector, PingEndpoint endpoint, Gid server) {
        ConnectParameters parameters = new ConnectParameters().responderResources(1).initiatorDepth(1)
            .timeoutNs(connectOptions.connectNs()).keepAliveNs(ConnectOptions.KEEP_ALIVE_NS);
        try {
            return options.isSelfModified()
                ? connector.connect(QueuePairType.RC, server, options.port(), parameters.queuePairNumber(endpoint.queuePair().number()))
                : connector.connect(endpoint.queuePair(), server, options.port(), parameters);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private void exchange(ManagedNic nic, PingClient client, String peer, PingLog log) {
        boolean noted = false;
        while (client.isConnecting()) {
            if (!nic.dispatch(client, noted ? FOREVER_NS : FIRST_NOTE_NS)) {
                log.error(RdmaCmMessages.stillConnecting(peer, FIRST_NOTE_NS, options.udpPort(), options.seed() != null));
                noted = true;
            }
        }
        while (client.isPinging()) {
            if (!nic.dispatch(client, connectOptions.stallNs())) {
                throw new ToolFailure(RdmaCmMessages.stalled(peer, "the reply to ping " + client.pings(), connectOptions.stallNs(),
                    options.udpPort()));
            }
        }
    }

    private void end(ManagedNic nic, PingClient client, CmConnection connection) {
        if (client.step() == PingClient.Step.FAILED) {
            connection.close();
            nic.linger(connectOptions.lingerNs());
            throw new ToolFailure(client.failure());
        }
        connection.disconnect();
        while (client.step() == PingClient.Step.DONE && nic.dispatch(client, DISCONNECT_NS)) {
            // Until the DREP has arrived.
        }
        nic.linger(connectOptions.lingerNs());
    }
}
