package io.rxe.tools;

import picocli.CommandLine.Option;

/** The options of every command that has a NIC; a mixin. */
public final class NicOptions extends NicSettings {
    /** The address the NIC has unless told otherwise. */
    public static final String DEFAULT_ADDRESS = "127.0.0.1";

    @Option(names = {"-d", "--ib-dev"}, paramLabel = "ADDR|IFNAME", defaultValue = DEFAULT_ADDRESS, order = 100,
        description = "Local address the NIC binds, or the interface that has it (default: ${DEFAULT-VALUE}).")
    void device(String value) {
        address(value);
    }
}
