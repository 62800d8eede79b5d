package io.rxe.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports that nobody uses at the moment, so that tests can run beside each other and beside real programs. */
public final class FreePorts {
    private FreePorts() {
    }

    /** A UDP port that is free on all the given addresses. */
    public static int udp(final String... addresses) {
        try {
            while (true) {
                final int port;
                try (DatagramSocket first = new DatagramSocket(0, InetAddress.getByName(addresses[0]))) {
                    port = first.getLocalPort();
                }
                if (isFree(port, addresses)) {
                    return port;
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFree(final int port, final String... addresses) throws IOException {
        for (final String address : addresses) {
            try (DatagramSocket socket = new DatagramSocket(port, InetAddress.getByName(address))) {
                if (socket.getLocalPort() != port) {
                    return false;
                }
            } catch (final BindException e) {
                return false;
            }
        }
        return true;
    }

    /** A TCP port. */
    public static int tcp() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
