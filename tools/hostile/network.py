"""Three hosts on a bridge, each a network namespace of its own. Nothing here touches an interface of the machine."""

import contextlib
import ctypes
import itertools
import os
import socket
import struct
import threading
import time

from namespaces import ip, namespaces, run, veth

MTU = 9000
ETH_P_IP = 0x0800
SO_ATTACH_FILTER, SO_SNDBUFFORCE, SO_RCVBUFFORCE = 26, 32, 33
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
STEP_S = 0.0005
# A sender that was not scheduled for longer leaves out what it is late with, instead of sending it at once.
LATEST_S = 0.02


class Host:
    """A namespace with one interface, eth0, whose MAC address ends as its IP address does."""

    def __init__(self, number, namespace=None):
        self.address = "10.77.0.%d" % number
        self.mac = "02:77:00:00:00:%02x" % number
        self._namespace = namespace

    def inside(self, *words):
        """A command that runs there."""
        return ["ip", "netns", "exec", self._namespace, *words]

    def received_bytes(self):
        return int(run(*self.inside("cat", "/sys/class/net/eth0/statistics/rx_bytes")))

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

    @contextlib.contextmanager
    def tap(self, seconds, length=None):
        """Copies of the IPv4 packets that arrive in that time; with a length only those."""
        with self.packet_socket() as raw:
            # ldh [16]; jeq #length, 0, 1; ret #262144; ret #0
            program = [(0x28, 0, 0, 16), (0x15, 0, 1, length), (0x06, 0, 0, 262144), (0x06, 0, 0, 0)] if length else [(0x06, 0, 0, 262144)]
            code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
            raw.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
            raw.bind(("eth0", ETH_P_IP))
            raw.settimeout(0.1)
            yield arriving(raw, time.monotonic() + seconds)

    def send(self, packets, step_s=0.0):
        with self.packet_socket() as raw:
            for packet in packets:
                raw.send(ethernet(packet))
                time.sleep(step_s)

    @contextlib.contextmanager
    def sending(self, frames, rate):
        """Sends at a rate, again and again, until the end of the with statement; then the two numbers hold packets and bytes."""
        stop, sent = threading.Event(), [0, 0]
        thread = threading.Thread(target=self._send, args=(frames, rate, stop, sent), daemon=True)
        if frames:
            thread.start()
        try:
            yield sent
        finally:
            stop.set()
            if frames:
                thread.join()

    def _send(self, frames, rate, stop, sent):
        endless, last = itertools.cycle(frames), time.monotonic()
        with self.packet_socket() as raw:
            while not stop.is_set():
                last = max(last, time.monotonic() - LATEST_S)
                due = int((time.monotonic() - last) * rate)
                last += due / rate
                for frame in itertools.islice(endless, due):
                    with contextlib.suppress(OSError):
                        raw.send(frame)
                        sent[0] += 1
                        sent[1] += len(frame)
                time.sleep(STEP_S)


def arriving(raw, end):
    while time.monotonic() < end:
        with contextlib.suppress(TimeoutError):
            yield raw.recv(1 << 17)[14:]


def enter(namespace):
    if LIBC.setns(namespace.fileno(), CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "setns: " + os.strerror(number))


def ethernet(packet):
    """The frame in which the attacker sends an IP packet: to a host of the network, or to a group."""
    destination = packet[16:20]
    mac = b"\x02\x77\0\0\0" + destination[3:] if destination[0] == 10 else bytes((1, 0, 0x5e, destination[1] & 127)) + destination[2:]
    return mac + b"\x02\x77\0\0\0\x03\x08\x00" + packet


class Network:
    def __init__(self, names=(None, None, None)):
        self.hosts = self.server, self.client, self.attacker = [Host(number, name) for number, name in enumerate(names, 1)]


@contextlib.contextmanager
def bridged_network():
    with namespaces("server", "client", "attacker", "bridge") as (*names, bridge):
        network = Network(names)
        ip(bridge, "link", "add", "br0", "mtu", str(MTU), "type", "bridge", "mcast_snooping", "0")
        ip(bridge, "link", "set", "br0", "up")
        for number, (host, name) in enumerate(zip(network.hosts, names)):
            veth(MTU, (name, "eth0", host.address + "/24"), (bridge, "port%d" % number))
            ip(bridge, "link", "set", "port%d" % number, "master", "br0")
            ip(name, "link", "set", "eth0", "address", host.mac)
            run(*host.inside("sysctl", "-qw", *("net.ipv4.conf.%s=0" % setting for setting in (
                "all.rp_filter", "default.rp_filter", "eth0.rp_filter", "all.send_redirects"))))
            for other in network.hosts:
                if other is not host:
                    ip(name, "neighbor", "replace", other.address, "lladdr", other.mac, "dev", "eth0", "nud", "permanent")
        for host, name in zip(network.hosts[:2], names):
            # What the NICs send to addresses that were made up arrives at the attacker's interface, which counts it.
            ip(name, "route", "add", "default", "via", network.attacker.address)
            # As an adapter has it: frames of one flow that arrive together are joined.
            run(*host.inside("ethtool", "-K", "eth0", "gro", "on"))
        yield network
