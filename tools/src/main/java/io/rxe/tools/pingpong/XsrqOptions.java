package io.rxe.tools.pingpong;

import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.SizeConverter;
import picocli.CommandLine.Option;

/** Options of {@code xsrq_pingpong}; a mixin for use with {@link NicOptions}. */
final class XsrqOptions extends CommonOptions {
    private static final int MAX_CLIENTS = 256;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 2, converter = SizeConverter.class, defaultValue = "4096",
        description = "Size of a message (default: ${DEFAULT-VALUE}).")
    private int sizeBytes;

    @Option(names = {"-c", "--clients"}, paramLabel = "N", defaultValue = "1", order = 4,
        description = "Server: clients to wait for. Client: how many clients this process is; they share an XRC domain. Up to 256"
            + " (default: ${DEFAULT-VALUE}).")
    private int clients;

    @Option(names = {"-n", "--num_tests"}, paramLabel = "N", defaultValue = "5", order = 5,
        description = "Messages each way for each client (default: ${DEFAULT-VALUE}).")
    private int iterations;

    @Override
    void checkOwn() {
        require("clients (-c)", clients, 1, MAX_CLIENTS);
    }

    @Override
    int sizeBytes() {
        return sizeBytes;
    }

    int clients() {
        return clients;
    }

    /** Messages each way for each client. */
    @Override
    int iterations() {
        return iterations;
    }
}
