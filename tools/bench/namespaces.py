"""Network namespaces: of a run, named after its process, and two that veth pairs join, as containers have them. Needs root."""

import collections
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys

PREFIX = "rxe-run-"
# In the environment of what runs in a namespace without privileges.
OWN = "RXE_OWN_NAMESPACE"


# A veth pair: the device's name, addresses, the MTU of both interfaces, the largest path MTU that fits, and whether the offloads stay as
# they come. RFC 2544 keeps that block of addresses for measurements.
Link = collections.namedtuple("Link", "device addresses mtu path_mtu offloads")
LINKS = [Link("v%d" % number, ("198.18.%d.1" % number, "198.18.%d.2" % number), *rest) for number, rest in enumerate(
    ((1500, 1024, True), (1500, 1024, False), (9000, 4096, True), (9000, 4096, False)), 1)]


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
            ip(name, "link", "set", "lo", "up")
        yield names


def enter_own():
    """Starts the script again, as an ordinary user in a network namespace of its own, where that is allowed. Returns whether it is in one."""
    if OWN in os.environ:
        ip(None, "link", "set", "lo", "up")
        return True
    if not shutil.which("ip") or subprocess.run(["unshare", "-Urn", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return False
    os.execvpe("unshare", ["unshare", "-Urn", *sys.orig_argv], dict(os.environ, **{OWN: "yes"}))


def ip(namespace, *words):
    """Runs ip in a namespace, or in that of this process for None."""
    return run("ip", *(["-n", namespace] if namespace else []), *words)


def veth(mtu, *ends):
    """A pair whose ends are each a namespace, the name of the device there, and what `ip address add` gets. Born where they belong: neither
    is ever seen elsewhere."""
    pair = [["name", device, "mtu", str(mtu), *(["netns", namespace] if namespace else [])] for namespace, device, *_ in ends]
    run("ip", "link", "add", *pair[0], "type", "veth", "peer", *pair[1])
    for namespace, device, *addresses in ends:
        for address in addresses:
            ip(namespace, "address", "add", address, "dev", device)
        ip(namespace, "link", "set", device, "up")


@contextlib.contextmanager
def joined_namespaces(links=LINKS):
    """Names of two, with the links between them."""
    with namespaces("a", "b") as names:
        for link in links:
            veth(link.mtu, *((name, link.device, address + "/24") for name, address in zip(names, link.addresses)))
            for name in [] if link.offloads else names:
                run("ip", "netns", "exec", name, "ethtool", "-K", link.device, "tso", "off", "gso", "off", "gro", "off")
        yield names


def is_open(pid, port):
    """Whether a TCP port listens or a UDP port is bound in the network namespace of a process."""
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with contextlib.suppress(OSError), open("/proc/%d/net/%s" % (pid, table), encoding="ascii") as file:
            if any(columns[1].endswith(":%04X" % port) and columns[3] == state for columns in map(str.split, file)):
                return True
    return False
