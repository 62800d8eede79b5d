"""The same stock programs on both sides: the kernel peer's over rdma_rxe, and this host's, unchanged, on our NIC (tools/rxe run).

The checks are those of the cases with our work-alikes.
"""

import os
import time

import perftest_cases
import pingpong_cases
import rdmacm_cases
import transport_cases
from cases import Case, CaseFailed, CaseSkipped
from peers import TOOLS, LocalCommand, OwnPeer

INTERFACE_MTU, IB_MTU = 1500, 1024
ROLES = ("server", "client")
# Each program, and each feature once. -a is left out, as in perftest_cases. perftest's RC client for rdma_cm may connect before a slow
# server listens a second time, and gives up then: one such test is enough.
PERFTEST = (("ib_send_bw", "-s 4096"), ("ib_write_bw", "-s 4096"), ("ib_read_bw", "-s 4096"), ("ib_atomic_bw", ""), ("ib_send_lat", "-e"),
            ("ib_write_lat", ""), ("ib_read_lat", ""), ("ib_atomic_lat", "-A CMP_AND_SWAP"), ("ib_send_bw", "-c UD -s 1024"),
            ("ib_write_bw", "-c UC -s 5000"), ("ib_send_bw", "-b"), ("ib_write_bw", "-q 3 -t 16 -s 4096"), ("ib_send_bw", "-D 1"),
            ("ib_write_bw", "-R -s 4096"), ("ib_send_lat", "-R -c UD"))
GROUP = "239.7.7.7"
MESSAGES = 10


class StockPeer(OwnPeer):
    """The programs of the host's distribution, on our NIC."""

    name = "our NIC under an unchanged program"
    listening = r"^rxe: listener on .* port %d$"

    def start_tool(self, tool, family, arguments):
        is_pingpong = tool.endswith("_pingpong")
        return self.start_program(["ibv_" + tool if is_pingpong else tool, "-g" if is_pingpong else "-x", "1"] + arguments, family=family)

    def start_program(self, words, for_us=(), family=None):
        # Connection management finds the family in the program's arguments.
        if family is None:
            family = 6 if any(word.startswith("fd99:") for word in words) else 4
        # Line buffered, so that what the program prints to standard error does not fall into a line.
        return LocalCommand([os.path.join(TOOLS, "rxe"), "run", "--verbose", "--dev", self.address(family), "stdbuf", "-oL"] + words)


class StockWorld:
    """The world of a case, with an unchanged program in the place of ours."""

    def __init__(self, world):
        self.ours = StockPeer()
        self.kernel = world.kernel


def unchanged(action):
    def run(world, log):
        if world.ours.is_kernel:
            raise CaseSkipped("a kernel stands in for our NIC, and its programs are unchanged")
        return action(StockWorld(world), log)
    return run


def ucmatose(our_role, family):
    def run(world, log):
        with rdmacm_cases.ProgramRun(world, log, "ucmatose", our_role, family) as programs:
            programs.start_server("-c", "3")
            programs.start_client("-c", "3")
            programs.finish()
            for command in (programs.server_run, programs.client_runs[0]):
                rdmacm_cases.check_words(command.output, ("data transfers complete", "return status 0"))
    return run


def mckey(our_role):
    """A multicast group. The server receives; the client sends three seconds after it has joined."""
    def run(world, log):
        receiver, sender = (world.ours, world.kernel) if our_role == "server" else (world.kernel, world.ours)
        runs = []
        try:
            for peer, options in ((receiver, []), (sender, ["-s"])):
                words = ["mckey", "-m", GROUP, "-b", peer.address(4), "-C", str(MESSAGES)] + options
                runs.append((peer, peer.start_program(words)))
                await_words(runs[-1], "joined dgid")
            for name, (peer, command) in zip(("client", "server"), reversed(runs)):
                pingpong_cases.check_status(name, peer, command.wait(rdmacm_cases.RUN_SECONDS), command)
                rdmacm_cases.check_words(command.output, ("data transfers complete", "return status 0"))
        finally:
            for peer, command in runs:
                command.stop()
                log.add(peer.name, command.output)
    return run


def await_words(run, wanted):
    peer, command = run
    deadline = time.monotonic() + rdmacm_cases.START_SECONDS
    while wanted not in command.output:
        if command.status is not None or time.monotonic() > deadline:
            raise CaseFailed("%s does not print '%s': %s" % (peer.name, wanted, pingpong_cases.last_line(command.output)))
        time.sleep(0.1)


def cases():
    found = []

    def add(name, action):
        found.append(Case("unchanged " + name, INTERFACE_MTU, unchanged(action)))
    for role in ROLES:
        for family in (4, 6):
            where = "%s v%d mtu%d" % (role, family, IB_MTU)
            add("rc_pingpong " + where, pingpong_cases.pingpong("rc_pingpong", role, family, IB_MTU, 5000, 10))
            for tool in transport_cases.SIZES:
                add("%s %s" % (tool, where), transport_cases.pingpong(tool, role, family, IB_MTU))
            add("rping " + where, rdmacm_cases.rping(role, family, IB_MTU, 10000, 3))
            add("udaddy " + where, rdmacm_cases.udaddy(role, family, "-c 2"))
            add("ucmatose " + where, ucmatose(role, family))
            add("rdma_server, rdma_client " + where, rdmacm_cases.message(role, family))
        where = "%s v4 mtu%d" % (role, IB_MTU)
        add("rc_pingpong %s -e" % where, pingpong_cases.pingpong("rc_pingpong", role, 4, IB_MTU, 5000, 10, options=["-e"]))
        for tool in transport_cases.SIZES:
            add("%s %s -e" % (tool, where), transport_cases.pingpong(tool, role, 4, IB_MTU, options=["-e"]))
        for tool, options in PERFTEST:
            add(("%s %s %s" % (tool, where, options)).rstrip(), perftest_cases.test(tool, role, 4, IB_MTU, options))
        for tool in ("ib_send_bw", "ib_read_lat"):
            add("%s %s v6 mtu%d" % (tool, role, IB_MTU), perftest_cases.test(tool, role, 6, IB_MTU))
        add("mckey " + where, mckey(role))
    return found
