package io.rxe.tools.rdmacm;

import io.rxe.tools.cli.ToolFailure;
import io.rxe.verbs.AddressVector;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Resolves host names, and finds the local address of the route to a peer. */
final class HostNames {
    private HostNames() {
    }

    /**
     * Resolves a host name or an address in text form.
     *
     * @param local local address, whose family is preferred if a name has both; or null.
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
            // The name of an interface: opening the NIC checks it.
            return null;
        }
    }

    /** The address as a GID. */
    static Gid gid(InetAddress address) {
        return Gid.of(address.getAddress());
    }

    /** The address in short form, without host name and scope. */
    static String text(InetAddress address) {
        return text(gid(address));
    }

    /** The address of a GID; IPv4 in dotted form. */
    static String text(Gid gid) {
        String text = gid.toString();
        return gid.isIpv4() ? text.substring(text.lastIndexOf(':') + 1) : text;
    }

    /**
     * The local address from which the system sends to a peer, as rdma_resolve_addr finds it. No packet is sent.
     *
     * @throws ToolFailure if there is no route to the peer.
     */
    static String localAddressFor(InetAddress peer) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(peer, AddressVector.ROCE_PORT);
            InetAddress local = socket.getLocalAddress();
            if (local.isAnyLocalAddress()) {
                throw unreachable(peer, "the system has no local address for it", null);
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
        return new ToolFailure("no route to " + text(peer) + " (" + why + "): check the address and `ip " + family + " route get "
            + text(peer) + "`", cause);
    }
}
