package io.rxe.disni;

import io.rxe.wire.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses of this NIC and of Java. */
final class Addresses {
    private Addresses() {
    }

    /** The internet address of a GID. */
    static InetAddress of(Gid gid) {
        try {
            // Of an IPv4 address mapped into IPv6, Java makes an IPv4 address.
            return InetAddress.getByAddress(gid.toBytes());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("GID " + gid + " is no address", e);
        }
    }
}
