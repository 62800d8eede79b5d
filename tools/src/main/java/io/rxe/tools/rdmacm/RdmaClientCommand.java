package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Connector;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.ToolFailure;
import java.io.PrintWriter;
import java.net.InetAddress;
import picocli.CommandLine.Command;

/** {@code rxe rdma_client}: rdma_client of rdmacm-utils on our NIC. */
@Command(name = "rdma_client", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Connect to an rdma_server, send a message of 16 bytes and wait for the reply.",
        "The NIC binds the local address of the route to the server, unless -d gives one."},
    footer = {"", "For example with a kernel host 10.0.0.2 that has rxe0:", "  there  rdma_server", "  here   rxe rdma_client -s 10.0.0.2"})
public final class RdmaClientCommand extends MessageCommand {
    @Override
    void exchange(NicOptions nicOptions, MessageOptions options, ConnectOptions connecting, PrintWriter err) {
        String name = options.server() == null ? NicOptions.DEFAULT_ADDRESS : options.server();
        InetAddress server = HostNames.resolve(name, connecting.givenAddress(nicOptions, null));
        connecting.bindClient(nicOptions, null, server);
        String peer = HostNames.text(server) + " port " + options.port();
        try (ManagedNic nic = ManagedNic.open(nicOptions, MessageEndpoint.COMPLETIONS, err)) {
            Connector connector = nic.connector(HostNames.gid(server), "-d");
            try (MessageEndpoint endpoint = new MessageEndpoint(nic, peer)) {
                CmConnection connection = connect(connector, endpoint, server, options.port(), connecting.connectNs());
                boolean noted = false;
                while (!endpoint.isEstablished()) {
                    if (!nic.dispatch(endpoint, noted ? FOREVER_NS : FIRST_NOTE_NS)) {
                        err.println(RdmaCmMessages.stillConnecting(peer, FIRST_NOTE_NS, nicOptions.udpPort(), nicOptions.seed() != null));
                        noted = true;
                    }
                }
                endpoint.send();
                await(nic, endpoint, endpoint::isSent, peer, "an acknowledgement");
                await(nic, endpoint, endpoint::isReceived, peer, "its message");
                end(nic, endpoint, connection);
            }
        }
    }

    private static CmConnection connect(Connector connector, MessageEndpoint endpoint, InetAddress server, int port, long timeoutNs) {
        try {
            return connector.connect(endpoint.queuePair(), HostNames.gid(server), port,
                new ConnectParameters().timeoutNs(timeoutNs).keepAliveNs(ConnectOptions.KEEP_ALIVE_NS));
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }
}
