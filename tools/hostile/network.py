"""Three hosts on a bridge, each a network namespace of its own. Nothing here touches an interface of the machine."""

import contextlib
import ctypes
import os
import socket
import struct

from namespaces import namespaces, run

MTU = "9000"
GROUP = "239.77.0.1"
ETH_P_IP = 0x0800
SO_ATTACH_FILTER, SO_SNDBUFFORCE, SO_RCVBUFFORCE = 26, 32, 33
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


class Host:
    """A namespace with one interface, eth0."""

    def __init__(self, number, namespace=None):
        self.address = "10.77.0.%d" % number
        self.mac = "02:77:00:00:00:%02x" % number
        self._namespace = namespace

    def prefix(self):
        """What begins a command that runs there."""
        return ["ip", "netns", "exec", self._namespace]

    def run(self, *words):
        return run(*self.prefix(), *words)

    def statistic(self, name):
        return int(self.run("cat", "/sys/class/net/eth0/statistics/" + name))

    def packet_socket(self):
        """Sends and receives Ethernet frames on its interface. A socket stays in the namespace where it was made."""
        with open("/proc/thread-self/ns/net", "rb") as home, open("/run/netns/" + self._namespace, "rb") as there:
            enter(there)
            try:
                raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
                raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
                raw.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 8 << 20)
                raw.bind(("eth0", 0))
            finally:
                enter(home)
        return raw

    def tap(self, ip_length=None):
        """Receives copies of the IPv4 packets that arrive; with an argument only those of that length."""
        raw = self.packet_socket()
        if ip_length is not None:
            # ldh [16]; jeq #ip_length, 0, 1; ret #262144; ret #0
            program = [(0x28, 0, 0, 16), (0x15, 0, 1, ip_length), (0x06, 0, 0, 262144), (0x06, 0, 0, 0)]
            code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
            raw.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
        raw.bind(("eth0", ETH_P_IP))
        raw.settimeout(0.2)
        return raw


def enter(namespace):
    if LIBC.setns(namespace.fileno(), CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "setns: " + os.strerror(number))


class Network:
    """The hosts of one run."""

    def __init__(self, names=(None, None, None)):
        self.hosts = [Host(number, name) for number, name in enumerate(names, 1)]
        self.server, self.client, self.attacker = self.hosts


@contextlib.contextmanager
def bridged_network():
    with namespaces("server", "client", "attacker", "bridge") as (*names, bridge):
        network = Network(names)
        run("ip", "-n", bridge, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
        run("ip", "-n", bridge, "link", "set", "br0", "mtu", MTU, "up")
        for number, (host, name) in enumerate(zip(network.hosts, names)):
            port = "port%d" % number
            # Both ends are born in namespaces: neither is ever seen on the machine.
            run("ip", "-n", name, "link", "add", "eth0", "address", host.mac, "mtu", MTU, "type", "veth", "peer", "name", port, "mtu", MTU,
                "netns", bridge)
            run("ip", "-n", bridge, "link", "set", port, "master", "br0", "up")
            for setting in ("all.rp_filter=0", "default.rp_filter=0", "eth0.rp_filter=0", "all.send_redirects=0"):
                host.run("sysctl", "-qw", "net.ipv4.conf." + setting)
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "address", "add", host.address + "/24", "dev", "eth0")
            for other in network.hosts:
                if other is not host:
                    run("ip", "-n", name, "neighbor", "replace", other.address, "lladdr", other.mac, "dev", "eth0", "nud", "permanent")
        for host in (network.server, network.client):
            # What the NICs send to addresses that were made up arrives at the attacker's interface, which counts it.
            host.run("ip", "route", "add", "default", "via", network.attacker.address)
            # As an adapter has it: frames of one flow that arrive together are joined.
            host.run("ethtool", "-K", "eth0", "gro", "on")
        yield network
