package io.rxe.net;

import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A local address and the interface that owns it.
 *
 * @param address  IPv4 or IPv6; a link-local IPv6 address has its scope.
 * @param name     of the interface.
 * @param index    of the interface, as the kernel counts them.
 * @param mtuBytes longest IP datagram the interface carries.
 */
public record InterfaceInfo(InetAddress address, String name, int index, int mtuBytes) {
    /** A subnet of two addresses or of one has none. */
    private static final int LONGEST_PREFIX_WITH_BROADCAST = 30;

    /**
     * Finds a local address by what a user types.
     *
     * @param text an address ("192.0.2.1", "::1", "fe80::1%eth0"), a host name, or an interface ("eth0": its first usable
     *             address, IPv4 before IPv6, link-local last).
     * @throws IOException if the text names nothing local; the message lists the local addresses.
     */
    public static InterfaceInfo of(String text) throws IOException {
        if (text.isBlank()) {
            throw new SocketException("the local address is empty: choose one of " + localAddresses());
        }
        NetworkInterface named = NetworkInterface.getByName(text);
        if (named != null) {
            InetAddress first = Collections.list(named.getInetAddresses()).stream()
                .filter(address -> !address.isMulticastAddress())
                .min(Comparator.comparingInt(InterfaceInfo::preference))
                .orElseThrow(() -> new SocketException("interface " + text
                    + " has no address: give it one (`ip address add ... dev " + text + "`) or choose one of "
                        + localAddresses()));
            return of(first);
        }
        InetAddress address;
        try {
            address = InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IOException("'" + text + "' is neither a local interface nor an address: choose one of "
                + localAddresses(), e);
        }
        return of(address);
    }

    /**
     * Finds the local addresses of the ports of a NIC.
     *
     * @param text what {@link #of(String)} takes, or several of that with commas between them: port 1, port 2 and so on.
     * @throws IOException if a part names nothing local, or two name the same address; the message lists the local addresses.
     */
    static List<InterfaceInfo> allOf(String text) throws IOException {
        List<InterfaceInfo> ports = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            InterfaceInfo port = of(part.strip());
            if (ports.stream().anyMatch(known -> known.address().equals(port.address()))) {
                throw new SocketException("two ports at " + port.address().getHostAddress() + " in '" + text + "': each port of a NIC needs"
                    + " an address of its own; choose others of " + localAddresses());
            }
            ports.add(port);
        }
        return ports;
    }

    /**
     * Finds the local address from which the system sends to a host, as rdma_resolve_addr does. Sends no packet.
     *
     * @throws IOException if there is no such host or no route to it; the message says which, and what to check.
     */
    public static InetAddress towards(String host) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(InetAddress.getByName(host), AddressVector.ROCE_PORT);
            return socket.getLocalAddress();
        } catch (UnknownHostException e) {
            throw new IOException("'" + host + "' is neither a host name that can be resolved nor an IP address", e);
        } catch (IOException | UncheckedIOException e) {
            throw new IOException("no route to " + host + " (" + e.getMessage() + "): check the address and `ip route get " + host + "`",
                e);
        }
    }

    /**
     * Finds the interface of a local address. Every address of 127.0.0.0/8 is local.
     *
     * @throws IOException if the address is not local; the message lists the local addresses.
     */
    public static InterfaceInfo of(InetAddress address) throws IOException {
        if (address.isAnyLocalAddress()) {
            throw new SocketException("address " + address.getHostAddress()
                + " means any address, but a NIC needs one that can be its GID: choose one of " + localAddresses());
        }
        if (broadcasts().contains(Gid.of(address.getAddress()))) {
            throw new SocketException("address " + address.getHostAddress()
                + " is the broadcast address of a subnet: choose one of " + localAddresses());
        }
        NetworkInterface owner = NetworkInterface.getByInetAddress(address);
        if (owner == null && address.isLoopbackAddress()) {
            owner = Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .filter(InterfaceInfo::isLoopback).findFirst().orElse(null);
        }
        if (owner == null) {
            throw new SocketException("address " + address.getHostAddress() + " is not local: choose one of "
                + localAddresses());
        }
        return new InterfaceInfo(withScope(address, owner), owner.getName(), owner.getIndex(), owner.getMTU());
    }

    /**
     * Checks that there is an interface at all: a new network namespace has none that is up.
     *
     * @throws SocketException that says how to get one.
     */
    static void requireAny() throws SocketException {
        boolean any;
        try {
            any = Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .anyMatch(one -> one.getInetAddresses().hasMoreElements());
        } catch (SocketException e) {
            // How the JDK says that there is none.
            any = false;
        }
        if (!any) {
            throw new SocketException("no network interface has an address, as in a new network namespace or container: give it one,"
                + " for example with `ip link set lo up` for 127.0.0.1");
        }
    }

    /** The broadcast addresses of the IPv4 subnets that this machine is in now, that of 127.0.0.0/8 among them. */
    static Set<Gid> broadcasts() throws SocketException {
        Set<Gid> found = new HashSet<>();
        for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InterfaceAddress owned : one.getInterfaceAddresses()) {
                int prefix = owned.getNetworkPrefixLength();
                if (owned.getAddress() instanceof Inet4Address && prefix > 0 && prefix <= LONGEST_PREFIX_WITH_BROADCAST) {
                    // The kernel takes this one for a broadcast address too, whether or not another was configured.
                    found.add(Gid.ofIpv4(Gid.of(owned.getAddress().getAddress()).ipv4() | -1 >>> prefix));
                    if (owned.getBroadcast() != null) {
                        found.add(Gid.of(owned.getBroadcast().getAddress()));
                    }
                }
            }
        }
        return found;
    }

    /** The GID of a port with this address. */
    public Gid gid() {
        return Gid.of(address.getAddress());
    }

    /**
     * The largest path MTU the interface carries; like rdma_rxe it leaves 80 bytes for headers.
     *
     * @throws IllegalArgumentException if not even 256 bytes fit.
     */
    public PathMtu portMtu() {
        return PathMtu.largestFor(mtuBytes);
    }

    private static InetAddress withScope(InetAddress address, NetworkInterface owner) throws UnknownHostException {
        if (address instanceof Inet6Address && address.isLinkLocalAddress()) {
            return Inet6Address.getByAddress(null, address.getAddress(), owner.getIndex());
        }
        return InetAddress.getByAddress(address.getAddress());
    }

    private static int preference(InetAddress address) {
        if (address instanceof Inet4Address) {
            return address.isLinkLocalAddress() ? 2 : 0;
        }
        return address.isLinkLocalAddress() ? 3 : 1;
    }

    private static boolean isLoopback(NetworkInterface candidate) {
        try {
            return candidate.isLoopback();
        } catch (SocketException e) {
            // The interface was removed meanwhile.
            return false;
        }
    }

    private static String localAddresses() {
        try {
            List<NetworkInterface> all = Collections.list(NetworkInterface.getNetworkInterfaces());
            return all.stream()
                .flatMap(one -> Collections.list(one.getInetAddresses()).stream()
                    .map(address -> withoutScope(address.getHostAddress()) + " (" + one.getName() + ")"))
                .collect(Collectors.joining(", "));
        } catch (SocketException e) {
            return "the addresses `ip address` shows";
        }
    }

    private static String withoutScope(String text) {
        int percent = text.indexOf('%');
        return percent < 0 ? text : text.substring(0, percent);
    }
}
