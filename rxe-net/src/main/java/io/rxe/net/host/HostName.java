package io.rxe.net.host;

import io.rxe.wire.Gid;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;

/** Finds the address of a peer by what a user types. */
public final class HostName {
    private HostName() {
    }

    /**
     * The first address of a host in the address family of a local one. Blocks until the system's resolver has answered.
     *
     * @throws UnknownHostException if there is none; the message has the remedy.
     */
    public static Gid resolve(String host, InetAddress local) throws UnknownHostException {
        Objects.requireNonNull(host, "the host name is null: give a name or an address");
        if (host.isBlank()) {
            throw new UnknownHostException("the host name is empty: give a name or an address");
        }
        InetAddress[] found;
        try {
            found = InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            UnknownHostException unknown = new UnknownHostException("'" + host + "' is neither a host name that can be resolved nor an IP"
                + " address: check its spelling, and what `getent ahosts " + host + "` prints");
            unknown.initCause(e);
            throw unknown;
        }
        String family = local instanceof Inet4Address ? "IPv4" : "IPv6";
        InetAddress first = Arrays.stream(found).filter(address -> address.getClass() == local.getClass()).findFirst()
            .orElseThrow(() -> new UnknownHostException("host '" + host + "' has no " + family + " address ("
                + Arrays.stream(found).map(InetAddress::getHostAddress).collect(Collectors.joining(", ")) + "), which the NIC at "
                + local.getHostAddress() + " needs: bind the NIC to an address of the other family, or give the host one"));
        return Gid.of(first.getAddress());
    }
}
