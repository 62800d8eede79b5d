package io.rxe.tools.cli;

import picocli.CommandLine.Option;

/** The options of every command that opens a NIC; a mixin. */
public final class NicOptions extends NicOptionsWithoutAddress {
    /** The default address of the NIC. */
    public static final String DEFAULT_ADDRESS = "127.0.0.1";

    @Option(names = {"-d", "--ib-dev"}, paramLabel = "ADDR|IFNAME", defaultValue = DEFAULT_ADDRESS, order = 100,
        description = "Local address the NIC binds, or its interface; several with commas are its ports (default: ${DEFAULT-VALUE}).")
    void device(String value) {
        address(value);
    }
}
