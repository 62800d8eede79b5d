package io.rxe.tools.rdmacm;

import picocli.CommandLine.Option;

/** Options of rdma_server and rdma_client; a mixin. */
final class MessageOptions {
    @Option(names = "-s", paramLabel = "ADDR", order = 1, description = "Address of the server.")
    private String server;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7471", order = 2, description = "Port (default: ${DEFAULT-VALUE}).")
    private int port;

    /** Address of the server, or null. */
    String server() {
        return server;
    }

    int port() {
        return port;
    }
}
