package io.rxe.tools.rdmacm;

import io.rxe.tools.ToolFailure;
import io.rxe.verbs.AddressVector;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Turns what users type into addresses, and finds the local address that leads to a peer. */
final class HostNames {
    private HostNames() {
    }

    /**
     * The address of a name or of an address as text.
     *
     * @param local address the peer shall be reached from, whose family is preferred when a name has both; or null.
     */
    static InetAddress resolve(String name, String local) {
        InetAddress[] found;
        try {
            found = InetAddress.getAllByName(name);
        } catch (UnknownHostException e) {
            throw new ToolFailure("'" + name + "' is neither a host name that can be resolved nor an IP address", e);
        }
        Class<?> family = familyOf(local);
        return Arrays.stream(found).filter(address -> family != null && family.isInstance(address)).findFirst().orElse(found[0]);
    }

    private static Class<?> familyOf(String local) {
        try {
            return local == null ? null : InetAddress.getByName(local).getClass();
        } catch (UnknownHostException e) {
            // The name of an interface: opening the NIC will look at it.
            return null;
        }
    }

    /** The address as a GID. */
    static Gid gid(InetAddress address) {
        return Gid.of(address.getAddress());
    }

    /** The address in its short form, without the name it came from and without a scope. */
    static String text(InetAddress address) {
        return text(gid(address));
    }

    /** A GID as people write its address. */
    static String text(Gid gid) {
        String text = gid.toString();
        return gid.isIpv4() ? text.substring(text.lastIndexOf(':') + 1) : text;
    }

    /**
     * The local address the system would send from, as rdma_resolve_addr finds it. No packet is sent.
     *
     * @throws ToolFailure when there is no way to the peer.
     */
    static String localAddressTowards(InetAddress peer) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(peer, AddressVector.ROCE_PORT);
            InetAddress local = socket.getLocalAddress();
            if (local.isAnyLocalAddress()) {
                throw unreachable(peer, "the system names no local address", null);
            }
            return local.getHostAddress();
        } catch (UncheckedIOException e) {
            throw unreachable(peer, e.getCause().getMessage(), e);
        } catch (IOException e) {
            throw unreachable(peer, e.getMessage(), e);
        }
    }

    private static ToolFailure unreachable(InetAddress peer, String why, Exception cause) {
        String family = peer instanceof Inet4Address ? "-4" : "-6";
        return new ToolFailure("no way to " + text(peer) + " (" + why + "): check the address and `ip " + family + " route get "
            + text(peer) + "`", cause);
    }
}
