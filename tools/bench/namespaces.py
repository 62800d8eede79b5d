"""Two network namespaces that veth pairs join, as containers have them. Needs root."""

import contextlib
import os
import re
import shutil
import signal
import subprocess


class Link:
    """A veth pair: its number, the MTU of both interfaces, the largest path MTU that fits, and whether the offloads stay as they come."""

    def __init__(self, number, mtu, path_mtu, offloads):
        self.number, self.mtu, self.path_mtu, self.offloads = number, mtu, path_mtu, offloads
        # RFC 2544 keeps that block for measurements.
        self.addresses = ["198.18.%d.%d" % (number, side) for side in (1, 2)]


LINKS = (Link(1, 1500, 1024, True), Link(2, 1500, 1024, False), Link(3, 9000, 4096, True), Link(4, 9000, 4096, False))


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def delete(name):
    """Ends what still runs there, too."""
    for pid in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout.split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    subprocess.run(["ip", "netns", "del", name], check=False)


@contextlib.contextmanager
def joined_namespaces():
    """Names of both, until the end of the with statement. Deletes those of a run that was killed before, too."""
    if os.getuid():
        raise SystemExit("network namespaces need root: use sudo, or measure on loopback")
    for program, package in (("ip", "iproute2"), ("ethtool", "ethtool")):
        if not shutil.which(program):
            raise SystemExit("no %s: install it (apt-get install %s)" % (program, package))
    for line in subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout.splitlines():
        left = re.match(r"rxe-bench-(\d+)-[ab]\b", line)
        if left and not os.path.exists("/proc/" + left.group(1)):
            delete(left.group())
    sides = ["rxe-bench-%d-%s" % (os.getpid(), letter) for letter in "ab"]
    with contextlib.ExitStack() as stack:
        for side in sides:
            ip("netns", "add", side)
            stack.callback(delete, side)
            ip("-n", side, "link", "set", "lo", "up")
        for link in LINKS:
            device = "v%d" % link.number
            ip("link", "add", device, "mtu", str(link.mtu), "netns", sides[0], "type", "veth", "peer", "name", device, "mtu", str(link.mtu),
               "netns", sides[1])
            for side, address in zip(sides, link.addresses):
                ip("-n", side, "addr", "add", address + "/24", "dev", device)
                if not link.offloads:
                    ip("netns", "exec", side, "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off")
                ip("-n", side, "link", "set", device, "up")
        yield sides


def is_open(pid, port):
    """Whether a TCP port listens or a UDP port is bound in the network namespace of a process."""
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with contextlib.suppress(OSError), open("/proc/%d/net/%s" % (pid, table), encoding="ascii") as file:
            if any(columns[1].endswith(":%04X" % port) and columns[3] == state for columns in map(str.split, file)):
                return True
    return False
