package io.rxe.tools.cli;

import picocli.CommandLine.Option;

/** {@code --port} for the UDP port, in commands that have no other port; a mixin beside {@link NicOptions}. */
public final class UdpPortAlias {
    @Option(names = "--port", paramLabel = "PORT", order = 101, description = "The same as --udp-port.")
    private Integer port;

    public void applyTo(NicOptions options) {
        if (port != null) {
            options.udpPort(port);
        }
    }
}
