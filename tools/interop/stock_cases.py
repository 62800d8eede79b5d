"""The same stock programs on both sides: the kernel peer's over rdma_rxe, and this host's, unchanged, on our NIC (tools/rxe run).

The checks are those of the cases with our work-alikes.
"""

import os

import perftest_cases
import pingpong_cases
import rdmacm_cases
import transport_cases
from cases import Case, CaseSkipped
from peers import TOOLS, LocalCommand, OwnPeer

INTERFACE_MTU, IB_MTU = 1500, 1024
ROLES = ("server", "client")
PERFTEST = (("ib_send_bw", "-s 4096"), ("ib_write_bw", "-s 4096"), ("ib_read_lat", ""), ("ib_atomic_bw", ""), ("ib_send_lat", "-e"),
            ("ib_send_bw", "-c UD -s 1024"), ("ib_write_bw", "-R -s 4096"))


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


def ucmatose(our_role):
    def run(world, log):
        with rdmacm_cases.ProgramRun(world, log, "ucmatose", our_role, 4) as programs:
            programs.start_server("-c", "3")
            programs.start_client("-c", "3")
            programs.finish()
            for command in (programs.server_run, programs.client_runs[0]):
                rdmacm_cases.check_words(command.output, ("data transfers complete", "return status 0"))
    return run


def cases():
    found = []

    def add(name, action):
        found.append(Case("unchanged " + name, INTERFACE_MTU, unchanged(action)))
    for role in ROLES:
        for family in (4, 6):
            where = "%s v%d mtu%d" % (role, family, IB_MTU)
            add("rc_pingpong " + where, pingpong_cases.pingpong("rc_pingpong", role, family, IB_MTU, 5000, 10))
            add("rping " + where, rdmacm_cases.rping(role, family, IB_MTU, 10000, 3))
        where = "%s v4 mtu%d" % (role, IB_MTU)
        for tool in transport_cases.SIZES:
            add("%s %s" % (tool, where), transport_cases.pingpong(tool, role, 4, IB_MTU))
        for tool, options in PERFTEST:
            add(("%s %s %s" % (tool, where, options)).rstrip(), perftest_cases.test(tool, role, 4, IB_MTU, options))
        add("udaddy " + where, rdmacm_cases.udaddy(role, 4, "-c 2"))
        add("ucmatose " + where, ucmatose(role))
    return found
