package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Connector;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** udaddy from its first request to its last datagram, as server or as client. */
final class UdaddyRun implements EventHandler, AutoCloseable {
    private static final long FIRST_NOTE_NS = 3_000_000_000L;
    private static final long FOREVER_NS = Long.MAX_VALUE;
    /** EINVAL, as the original returns it. */
    private static final int INVALID = -22;

    private final ManagedNic nic;
    private final UdaddyOptions options;
    private final ConnectOptions connecting;
    private final PrintWriter out;
    private final PrintWriter err;
    private final Map<Integer, DatagramNode> byQueuePair = new HashMap<>();
    private final Map<CmConnection, DatagramNode> byConnection = new HashMap<>();
    private int connectsLeft;
    private int status;

    UdaddyRun(ManagedNic nic, UdaddyOptions options, ConnectOptions connecting, PrintWriter out, PrintWriter err) {
        this.nic = nic;
        this.options = options;
        this.connecting = connecting;
        this.out = out;
        this.err = err;
        this.connectsLeft = options.nodes();
    }

    /** Capacity of the completion queue. */
    static int completions(UdaddyOptions options) {
        return Math.max(2, 2 * options.messages() * options.nodes());
    }

    /** Serves clients. Returns the status to print. */
    int runServer() {
        while (connectsLeft > 0 && status == 0) {
            nic.dispatch(this, FOREVER_NS);
        }
        if (options.messages() > 0 && !byQueuePair.isEmpty()) {
            print("receiving data transfers");
            await(DatagramNode::hasReceivedAll);
            print("sending replies");
            byQueuePair.values().forEach(node -> node.sendAll(true));
            await(DatagramNode::hasSentAll);
            print("data transfers complete");
        }
        return status;
    }

    /** Resolves the service and exchanges messages with it. Returns the status to print. */
    int runClient(Connector connector, Gid server, String peer) {
        print("udaddy: connecting");
        if (!isSizeValid()) {
            return INVALID;
        }
        for (int i = 0; i < options.nodes(); i++) {
            DatagramNode node = addNode();
            byConnection.put(resolve(connector, server), node);
        }
        boolean noted = false;
        while (connectsLeft > 0 && status == 0) {
            if (!nic.dispatch(this, noted ? FOREVER_NS : FIRST_NOTE_NS)) {
                err.println(RdmaCmMessages.stillConnecting(peer, FIRST_NOTE_NS, nic.device().udpPort(), nic.isSeeded()));
                noted = true;
            }
        }
        if (options.messages() > 0 && status == 0) {
            print("initiating data transfers");
            byQueuePair.values().forEach(node -> node.sendAll(false));
            print("receiving data transfers");
            await(DatagramNode::hasReceivedAll);
            print("data transfers complete");
        }
        return status;
    }

    private CmConnection resolve(Connector connector, Gid server) {
        try {
            return connector.resolve(server, options.port(), new ConnectParameters().timeoutNs(connecting.connectNs()));
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private DatagramNode addNode() {
        DatagramNode node = new DatagramNode(nic, options.messages(), options.sizeBytes());
        byQueuePair.put(node.queuePair().number(), node);
        return node;
    }

    private boolean isSizeValid() {
        int limit = nic.device().portMtu().bytes();
        if (options.messages() > 0 && options.sizeBytes() > limit) {
            print("udaddy: message_size " + options.sizeBytes() + " is larger than active mtu " + limit);
            return false;
        }
        return true;
    }

    private void await(Predicate<DatagramNode> done) {
        while (!byQueuePair.values().stream().allMatch(done)) {
            if (!nic.dispatch(this, connecting.stallNs())) {
                int received = byQueuePair.values().stream().mapToInt(DatagramNode::received).sum();
                throw new ToolFailure("nothing arrived from " + byQueuePair.values().stream().map(DatagramNode::peerText).distinct()
                    .collect(Collectors.joining(", ")) + " for " + RdmaCmMessages.seconds(connecting.stallNs()) + " after " + received
                        + " of "
                    + options.messages() * byQueuePair.size() + " datagrams: lost datagrams are not retransmitted; run it again,"
                    + " with the same -C, -c and -S at both ends, and check that no firewall drops UDP port " + nic.device().udpPort());
            }
        }
    }

    private void print(String line) {
        out.println(line);
        out.flush();
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        DatagramNode node = byQueuePair.get(completion.queuePairNumber());
        if (node != null && completion.status() != CompletionStatus.WR_FLUSH_ERR) {
            node.onCompletion(completion);
        }
    }

    @Override
    public void onEvent(CmEvent event) {
        switch (event.type()) {
            case CONNECT_REQUEST -> onRequest(event.connection());
            case ESTABLISHED -> {
                byConnection.get(event.connection()).sendTo(event.connection().terms());
                connectsLeft--;
            }
            case REJECTED, UNREACHABLE, CONNECT_ERROR -> {
                print("udaddy: event: " + event.type().rdmaName() + ", error: " + event.status());
                err.println("udaddy: " + event.explanation());
                connectsLeft--;
                status = event.status();
            }
            case CONNECT_RESPONSE, DISCONNECTED, ALTERNATE_PATH, TIMEWAIT_EXIT -> {
                // SIDR has none of these.
            }
        }
    }

    private void onRequest(CmConnection request) {
        if (byQueuePair.size() == options.nodes()) {
            fail(request, "it already has " + options.nodes() + " clients: start the server with a larger -c");
        } else if (!isSizeValid()) {
            fail(request, "use a smaller -S, or raise the interface MTU");
            status = INVALID;
        } else {
            request.accept(addNode().queuePair(), new ConnectParameters());
            connectsLeft--;
        }
    }

    private void fail(CmConnection request, String why) {
        print("udaddy: failing connection request");
        err.println("udaddy: refused " + HostNames.text(request.peer()) + ": " + why);
        request.reject(new byte[0]);
    }

    @Override
    public void close() {
        byQueuePair.values().forEach(DatagramNode::close);
    }
}
