package io.rxe.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports that are free at the moment, so that tests can run beside each other and beside other programs. */
public final class FreePorts {
    private FreePorts() {
    }

    /** A UDP port that is free on all the given addresses; name every one that will be bound. */
    public static int udp(String... addresses) {
        try {
            while (true) {
                int port;
                try (DatagramSocket first = new DatagramSocket(0, InetAddress.getByName(addresses[0]))) {
                    port = first.getLocalPort();
                }
                if (isFree(port, addresses)) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFree(int port, String... addresses) throws IOException {
        for (String address : addresses) {
            try (DatagramSocket socket = new DatagramSocket(port, InetAddress.getByName(address))) {
                if (socket.getLocalPort() != port) {
                    return false;
                }
            } catch (BindException e) {
                return false;
            }
        }
        return true;
    }

    /** A TCP port. */
    public static int tcp() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
