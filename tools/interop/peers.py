"""The two sides of every case: a kernel peer, and our NIC on this host. Both offer the same methods."""

import os
import re
import signal
import subprocess
import sys
import time

from guest import Guest

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOOLS, "bench"))
from namespaces import is_open  # noqa: E402
from program import RXE, Program, stock_variables  # noqa: E402

# Numbers of the peers with newer kernels, as in tools/kernel-peer.
AARCH64, LONG_TERM, NEWEST, NEWER = 5, 6, 7, 8

# Lists queue pairs, connections, and the kernel stacks of the guest's processes.
STUCK_SCRIPT = """rdma resource show qp; ss -tan
for process in /proc/[0-9]*; do
  [ -s $process/cmdline ] && { tr '\\0' ' ' <$process/cmdline; echo; cat $process/stack; }
done 2>/dev/null
dmesg | tail -n 20"""

# What is shown of a run over a faulty link: names, and words for them.
OUR_COUNTERS = (("retransmitted_pkts", "retransmitted"), ("rcvd_seq_err", "seq NAK in"), ("send_seq_err", "seq NAK out"),
                ("implied_nak", "implied NAK"), ("loss_probe", "probes"), ("ack_timeout", "timeouts"),
                ("duplicate_request", "duplicates"), ("reorder_buffered", "kept"), ("bad_icrc", "bad ICRC"))
KERNEL_COUNTERS = (("completer_retry_err", "retries"), ("rcvd_seq_err", "seq NAK in"), ("out_of_seq_request", "out of seq"),
                   ("duplicate_request", "duplicates"), ("send_rnr_err", "RNR out"))
# A clean run changes none of these, on either side.
RECOVERY_COUNTERS = ("duplicate_request", "out_of_seq_request", "rcvd_rnr_err", "send_rnr_err", "rcvd_seq_err",
                     "completer_retry_err", "retry_exceeded_err", "retry_rnr_exceeded_err", "send_err")


class Peer:
    def wait_server(self, port, timeout_seconds, command, is_managed):
        """Waits until a program listens on a TCP port, or on one of rdma_cm. Returns False when it ended first."""
        deadline, pause = time.monotonic() + timeout_seconds, 0.02
        while time.monotonic() < deadline and command.status is None:
            if self._is_listening(port, command, is_managed):
                return True
            # Longer from look to look: each costs a guest time that the program needs to start.
            time.sleep(pause)
            pause = min(1.2 * pause, 1)
        return False


class KernelPeer(Peer):
    """An rdma_rxe host in a guest, with the programs of its distribution."""

    is_kernel = True

    def __init__(self, index):
        self.guest = Guest(index)
        self.is_newer, self.is_newest, self.raises_events = index not in (1, AARCH64), index in (LONG_TERM, NEWEST), index == NEWEST
        self.tap = "tap%d" % index
        self.name = "kernel peer %d" % index
        self.control_address = self.guest.control_address
        self.counters = self.guest.counters
        self.link_address = "52:54:00:99:00:%02x" % (index + 1)

    def address(self, family):
        return ("10.99.0.%d" if family == 4 else "fd99::%d") % (self.guest.index + 1)

    def neighbour(self, action, address, link_address):
        self.guest.run(neighbour_command("eth0", action, address, link_address))

    def start_program(self, words, family, for_us=()):
        """Starts a program by the name common to both sides, such as rc_pingpong. `for_us` are options for our programs only."""
        # Line buffered, so that the log of a program that hangs shows how far it got.
        return self.guest.start(["stdbuf", "-oL"] + stock_words(words, 1 if family == 4 else 2))

    def _is_listening(self, port, command, is_managed):
        if is_managed:
            return re.search(r"state LISTEN .*src-addr \S+:%d\b" % port, self.guest.run(["rdma", "resource", "show", "cm_id"])[1])
        return self.guest.is_listening(port)

    def describe_stuck(self, command):
        return self.guest.run(["sh", "-c", STUCK_SCRIPT])[1]

    def diagnose(self, address):
        answered, _ = self.guest.run(["busybox", "ping", "-c", "3", "-W", "1", address])
        return "%s: its network %s" % (self.name, "works" if answered == 0 else "is dead")

    def start_agent(self, family, port, kind):
        # A newer peer has programs of its own.
        change_root = ["chroot", "/programs"] if self.is_newer else []
        return self.guest.start(change_root + ["/usr/bin/python3", "-B", "/peer/agent.py", "--listen", str(port),
                                               "-g", "1" if family == 4 else "2"])


class OwnPeer(Peer):
    """Our NIC: tools/rxe on this host, bound to the address of the bridge."""

    is_kernel = is_newest = raises_events = False
    name = "our NIC"
    control_address = "10.98.0.1"
    # What a program prints when it listens with rdma_cm.
    listening = r"^listening on .* port %d$"

    def address(self, family):
        return "10.99.0.1" if family == 4 else "fd99::1"

    @property
    def link_address(self):
        with open("/sys/class/net/br0/address", encoding="ascii") as file:
            return file.read().strip()

    def neighbour(self, action, address, link_address):
        subprocess.run(neighbour_command("br0", action, address, link_address), check=True)

    def start_program(self, words, family, for_us=()):
        # rping has its own -v.
        own = ["-d", self.address(family)] if has_device_option(words[0]) else [] if words[0] == "rping" else ["-v"]
        return Program([RXE, *words, *for_us, *own])

    def _is_listening(self, port, command, is_managed):
        return re.search(self.listening % port, command.output, re.MULTILINE) if is_managed else is_open(os.getpid(), port)

    def start_agent(self, family, port, kind):
        """Of kind "host" with the host's pyverbs, "newer" with that of the newer peer, "java" that of rxe-testkit."""
        if kind == "java":
            return Program([RXE, "agent", "--listen", str(port), "-d", self.address(family)], RXE_MAIN="io.rxe.testkit.TestKit")
        python = newer_python(os.environ["RXE_PEER_NEWER_PROGRAMS"]) if kind == "newer" else ["/usr/bin/python3"]
        return Program([RXE, "run", "--verbose", "--dev", self.address(family), *python,
                        "-B", os.path.join(TOOLS, "interop", "agent.py"), "--listen", str(port)])

    def describe_stuck(self, command):
        """Makes a Java program add its thread dump to its output."""
        os.kill(command.pid, signal.SIGQUIT)
        time.sleep(1)
        return "its thread dump is in its output"


class StockPeer(OwnPeer):
    """The programs of the host's distribution, on our NIC."""

    name = "our NIC under an unchanged program"
    listening = r"^rxe: listener on .* port %d$"

    def start_program(self, words, family, for_us=()):
        # Line buffered, so that what the program prints to standard error does not fall into a line.
        return Program(["stdbuf", "-oL", *stock_words(words, 1)], **stock_variables("--verbose"), RXE_DEV=self.address(family))


def newer_python(root):
    """The words that start Python with the libraries of another release of Debian."""
    libraries = [os.path.join(root, "usr", "lib", "x86_64-linux-gnu"), os.path.join(root, "usr", "lib")]
    return ["env", "PYTHONHOME=" + os.path.join(root, "usr"), os.path.join(root, "usr", "lib64", "ld-linux-x86-64.so.2"), "--library-path",
            ":".join(libraries), os.path.join(root, "usr", "bin", "python3")]


def has_device_option(program):
    """Programs that connect by a side channel; the others find their device by an address."""
    return program.startswith("ib_") or program.endswith("_pingpong") and program != "fi_pingpong"


def stock_words(words, gid_index):
    """The words of a stock program, with its own name and the options for its device."""
    program, *rest = words
    if not has_device_option(program):
        return words
    if program.endswith("_pingpong"):
        return ["ibv_" + program, "-d", "rxe0", "-g", str(gid_index)] + rest
    # -F: without it perftest reports nothing in a busy guest where it cannot measure the frequency of its clock.
    return [program, "-d", "rxe0", "-x", str(gid_index), "-F"] + rest


def neighbour_command(interface, action, address, link_address):
    return ["ip", "neigh", action, address, "dev", interface] + (
        ["lladdr", link_address, "nud", "permanent"] if action == "replace" else [])


def recovery_since(before, after):
    """Lists the recovery counters that increased, as 'name +n' words; empty when nothing was lost or retransmitted."""
    return ["%s +%d" % (name, after[name] - before[name]) for name in RECOVERY_COUNTERS
            if after.get(name, 0) != before.get(name, 0)]


def moved(before, after):
    """The counters of ours and of the kernel that changed, as text: 'ours: 12 retransmitted; kernel: 3 retries'."""
    texts = []
    for side, names, old, new in (("ours", OUR_COUNTERS, before[0], after[0]), ("kernel", KERNEL_COUNTERS, before[1], after[1])):
        words = ["%d %s" % (new[name] - old[name], word) for name, word in names if new.get(name, 0) != old.get(name, 0)]
        if new:
            texts.append("%s: %s" % (side, ", ".join(words) or "nothing"))
    return "; ".join(texts)
