"""Network namespaces: of a run, named after its process, and two that veth pairs join, as containers have them. Needs root."""

import contextlib
import os
import re
import shutil
import signal
import subprocess

PREFIX = "rxe-run-"


class Link:
    """A veth pair: its number, the MTU of both interfaces, the largest path MTU that fits, and whether the offloads stay as they come."""

    def __init__(self, number, mtu, path_mtu, offloads):
        self.number, self.mtu, self.path_mtu, self.offloads = number, mtu, path_mtu, offloads
        self.device = "v%d" % number
        # RFC 2544 keeps that block for measurements.
        self.addresses = ["198.18.%d.%d" % (number, side) for side in (1, 2)]


LINKS = (Link(1, 1500, 1024, True), Link(2, 1500, 1024, False), Link(3, 9000, 4096, True), Link(4, 9000, 4096, False))


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError("%s: %s" % (" ".join(words), done.stderr.strip()))
    return done.stdout


def delete(name):
    """Ends what still runs there, too."""
    for pid in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout.split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    subprocess.run(["ip", "netns", "del", name], check=False)


@contextlib.contextmanager
def namespaces(*sides):
    """Names of new ones, until the end of the with statement. Deletes those of a run that was killed before, too."""
    if os.getuid():
        raise SystemExit("network namespaces need root: use sudo")
    for program, package in (("ip", "iproute2"), ("ethtool", "ethtool")):
        if not shutil.which(program):
            raise SystemExit("no %s: install it (apt-get install %s)" % (program, package))
    for line in run("ip", "netns", "list").splitlines():
        left = re.match(PREFIX + r"(\d+)-\w+", line)
        if left and not os.path.exists("/proc/" + left.group(1)):
            delete(left.group())
    names = ["%s%d-%s" % (PREFIX, os.getpid(), side) for side in sides]
    with contextlib.ExitStack() as stack:
        for name in names:
            run("ip", "netns", "add", name)
            stack.callback(delete, name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        yield names


@contextlib.contextmanager
def joined_namespaces(links=LINKS):
    """Names of two, with the links between them."""
    with namespaces("a", "b") as names:
        for link in links:
            mtu, device = str(link.mtu), link.device
            run("ip", "link", "add", device, "mtu", mtu, "netns", names[0], "type", "veth", "peer", "name", device, "mtu", mtu, "netns", names[1])
            for name, address in zip(names, link.addresses):
                run("ip", "-n", name, "addr", "add", address + "/24", "dev", device)
                if not link.offloads:
                    run("ip", "netns", "exec", name, "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off")
                run("ip", "-n", name, "link", "set", device, "up")
        yield names


def is_open(pid, port):
    """Whether a TCP port listens or a UDP port is bound in the network namespace of a process."""
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with contextlib.suppress(OSError), open("/proc/%d/net/%s" % (pid, table), encoding="ascii") as file:
            if any(columns[1].endswith(":%04X" % port) and columns[3] == state for columns in map(str.split, file)):
                return True
    return False
