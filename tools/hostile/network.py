"""Three hosts on a bridge, each a network namespace of its own. Nothing here touches an interface of the machine."""

import ctypes
import errno
import fcntl
import os
import re
import socket
import struct
import subprocess

PREFIX = "rxe-flood-"
MTU = 9000
GROUP = "239.77.0.1"
ETH_P_IP = 0x0800
SO_RCVBUFFORCE, SO_SNDBUFFORCE = 33, 32
SIOCETHTOOL, ETHTOOL_SGRO = 0x8946, 0x2c
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


class Host:
    """A namespace with one interface, eth0."""

    def __init__(self, name, number):
        self.name = name
        self.namespace = "%s%d-%s" % (PREFIX, os.getpid(), name)
        self.address = "10.77.0.%d" % number
        self.mac = "02:77:00:00:00:%02x" % number

    def prefix(self):
        """What begins a command that runs there."""
        return ["ip", "netns", "exec", self.namespace]

    def statistic(self, name):
        path = "/sys/class/net/eth0/statistics/" + name
        return int(subprocess.run(self.prefix() + ["cat", path], capture_output=True, check=True).stdout)

    def enter(self):
        """Context: the calling thread is in the namespace; a socket made there stays there."""
        return Inside(self.namespace)

    def packet_socket(self):
        """Sends and receives Ethernet frames on its interface."""
        with self.enter():
            raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
            raw.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 8 << 20)
            raw.bind(("eth0", 0))
        return raw

    def tap(self, ip_length=None):
        """Receives copies of the IPv4 packets that arrive; with an argument only those of that length."""
        raw = self.packet_socket()
        if ip_length is not None:
            # ldh [16]; jeq #ip_length, 0, 1; ret #262144; ret #0
            program = [(0x28, 0, 0, 16), (0x15, 0, 1, ip_length), (0x06, 0, 0, 262144), (0x06, 0, 0, 0)]
            code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
            raw.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
        raw.bind(("eth0", ETH_P_IP))
        raw.settimeout(0.2)
        return raw


class Inside:
    def __init__(self, namespace):
        self._namespace = namespace

    def __enter__(self):
        self._home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open("/run/netns/" + self._namespace, os.O_RDONLY)
        enter(there)
        os.close(there)

    def __exit__(self, *_):
        enter(self._home)
        os.close(self._home)


def enter(descriptor):
    if LIBC.setns(descriptor, CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "setns: " + os.strerror(number))


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError("%s: %s" % (" ".join(words), done.stderr.strip()))
    return done.stdout


class Network:
    """The namespaces of one run, removed when the context ends."""

    def __init__(self):
        self.server, self.client, self.attacker = Host("server", 1), Host("client", 2), Host("attacker", 3)
        self.hosts = (self.server, self.client, self.attacker)
        self._bridge = "%s%d-bridge" % (PREFIX, os.getpid())

    def __enter__(self):
        remove_leftovers()
        try:
            self._build()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_):
        self._remove()

    def _build(self):
        run("ip", "netns", "add", self._bridge)
        run("ip", "-n", self._bridge, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
        run("ip", "-n", self._bridge, "link", "set", "br0", "mtu", str(MTU), "up")
        for host in self.hosts:
            run("ip", "netns", "add", host.namespace)
            # Both ends are born in namespaces: neither is ever seen on the machine.
            run("ip", "-n", host.namespace, "link", "add", "eth0", "address", host.mac, "mtu", str(MTU), "type", "veth",
                "peer", "name", host.name, "mtu", str(MTU), "netns", self._bridge)
            run("ip", "-n", self._bridge, "link", "set", host.name, "master", "br0", "up")
            for setting in ("all.rp_filter=0", "default.rp_filter=0", "eth0.rp_filter=0", "all.send_redirects=0"):
                run("ip", "netns", "exec", host.namespace, "sysctl", "-qw", "net.ipv4.conf." + setting)
            run("ip", "-n", host.namespace, "link", "set", "lo", "up")
            run("ip", "-n", host.namespace, "link", "set", "eth0", "up")
            run("ip", "-n", host.namespace, "address", "add", host.address + "/24", "dev", "eth0")
        for host in self.hosts:
            for other in self.hosts:
                if other is not host:
                    run("ip", "-n", host.namespace, "neighbor", "replace", other.address, "lladdr", other.mac, "dev", "eth0", "nud",
                        "permanent")
        # What the NICs send to addresses that were made up arrives at the attacker's interface, which counts it.
        for host in (self.server, self.client):
            run("ip", "-n", host.namespace, "route", "add", "default", "via", self.attacker.address)
            batch_in_the_interface(host)

    def _remove(self):
        for host in self.hosts:
            subprocess.run(["ip", "netns", "delete", host.namespace], capture_output=True)
        subprocess.run(["ip", "netns", "delete", self._bridge], capture_output=True)


def batch_in_the_interface(host):
    """Switches GRO on, as an adapter has it: frames of one flow that arrive together are joined."""
    with host.enter(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_SGRO, 1))
        request = struct.pack("16sP8x", b"eth0", ctypes.addressof(value))
        try:
            fcntl.ioctl(any_socket, SIOCETHTOOL, request)
        except OSError as e:
            if e.errno != errno.EOPNOTSUPP:
                raise


def remove_leftovers():
    """Namespaces of a run that was killed."""
    for line in run("ip", "netns", "list").splitlines():
        found = re.match(PREFIX + r"(\d+)-", line)
        if found and not os.path.exists("/proc/" + found.group(1)):
            subprocess.run(["ip", "netns", "delete", line.split()[0]], capture_output=True)
