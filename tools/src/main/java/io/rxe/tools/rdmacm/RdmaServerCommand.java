package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.tools.cli.NicOptions;
import io.rxe.verbs.WorkCompletion;
import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** {@code rxe rdma_server}: rdma_server of rdmacm-utils on our NIC. */
@Command(name = "rdma_server", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Wait for one rdma_client, receive its message of 16 bytes and reply.",
        "-s or -d gives the local address to listen on."},
    footer = {"", "For example with a kernel host that has rxe0, our address being 10.0.0.1:", "  here   rxe rdma_server -s 10.0.0.1",
        "  there  rdma_client -s 10.0.0.1"})
public final class RdmaServerCommand extends MessageCommand {
    private static final int BACKLOG = 16;

    /** Keeps the first connection request. */
    private static final class FirstRequest implements EventHandler {
        private CmConnection client;

        @Override
        public void onCompletion(WorkCompletion completion) {
            // There is no queue pair yet.
        }

        @Override
        public void onEvent(CmEvent event) {
            if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
                client = event.connection();
            }
        }
    }

    @Override
    void exchange(NicOptions nicOptions, MessageOptions options, ConnectOptions connecting, PrintWriter err) {
        connecting.bindServer(nicOptions, options.server(), "-s", err);
        try (ManagedNic nic = ManagedNic.open(nicOptions, MessageEndpoint.COMPLETIONS, err)) {
            CmConnection client = awaitClient(nic, options.port());
            String peer = HostNames.text(client.peer());
            try (MessageEndpoint endpoint = new MessageEndpoint(nic, peer)) {
                client.accept(endpoint.queuePair(), new ConnectParameters().keepAliveNs(ConnectOptions.KEEP_ALIVE_NS));
                await(nic, endpoint, endpoint::isReceived, peer, "its message");
                endpoint.send();
                await(nic, endpoint, endpoint::isSent, peer, "an acknowledgement");
                end(nic, endpoint, client);
            }
        }
    }

    // Closes the listener after the first request: a second client is rejected.
    private static CmConnection awaitClient(ManagedNic nic, int port) {
        FirstRequest request = new FirstRequest();
        try (Listener listener = nic.listen(PortSpace.TCP, port, BACKLOG)) {
            assert listener.port() == port;
            while (request.client == null) {
                nic.dispatch(request, FOREVER_NS);
            }
        }
        return request.client;
    }
}
