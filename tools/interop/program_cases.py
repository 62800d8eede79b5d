"""Programs of a kernel peer against ours, with our NIC as server and as client.

program_cases.tsv lists them. Names that begin with "unchanged" run the stock program of the host's distribution on our NIC (tools/rxe run),
the same as the kernel peer's; the others run our own.
"""

import collections
import contextlib
import itertools
import re
import shutil
import time
import types

from cases import Case, CaseFailed, CaseSkipped, Recovered, bound, table
from faults import FAULTS
from peers import StockPeer, moved
from programs import (Programs, check_data, check_path_mtu, check_perftest, check_pings,
                      check_queue_pairs, check_timers, check_words, last_ack_may_be_lost, last_line, run_both, without_retransmissions)
from verbs_client import IB_MTU, START_SECONDS
from wire import FrameTap, count_retransmitted

PORT = 18515
# Path MTU: MTU of the interface.
MTUS = {1024: 1500, 4096: 4200}
ROLES = ("server", "client")
PERFTEST_ITERATIONS = 20
# In these tests the server only waits and reports nothing.
CLIENT_REPORTS_ALONE = ("ib_read_lat", "ib_atomic_lat")

# Programs of rdmacm-utils that report only that all their messages arrived: the client's name, the port, the server's option for its address,
# whether the server ends, the words of the two sides.
RDMACM = {"udaddy": ("udaddy", 7174, "-b", True, ("data transfers complete", "return status 0")),
          "ucmatose": ("ucmatose", 7471, "-b", True, ("data transfers complete", "return status 0")),
          "rdma_server": ("rdma_client", 7471, "-s", True, ()), "cmtime": ("cmtime", 7471, "-b", False, ("disconnect",))}
RPING_PORT, BUSY_PORT = 7174, 7100
# A lost message of connection management is retransmitted after 6 s, a lost packet of a kernel's data after 2.1 s.
FAULTY_SECONDS, DISCONNECT_SECONDS = 90, 15
GROUP, GROUP_MESSAGES = "239.7.7.7", 10

LIBRARY_PORT = 13337
# Keeps UCP off other networks. By itself UCX takes the link-local GID of rdma_rxe, and it does not find the IPv4 address of datagrams in
# rdma_rxe's completions.
UCX, UCX_OF_KERNEL = ["UCX_NET_DEVICES=rxe0:1"], ["UCX_IB_GID_INDEX=1", "UCX_UD_VERBS_ETH_DGID_CHECK=n"]
# The variable has the index of the IPv4 GID, as for UCX.
LIBFABRIC = ["FI_VERBS_GID_IDX=1", "fi_pingpong", "-c"]
# What a client prints without a listener: the kernel's, ours.
NO_LISTENER = {"rping": ("RDMA_CM_EVENT_REJECTED, error 8", "no listener on TCP port 7174 at"),
               "udaddy": ("RDMA_CM_EVENT_UNREACHABLE, error: 1", "RDMA_CM_EVENT_UNREACHABLE, error: 1")}


class Where(collections.namedtuple("Where", "role family ib_mtu fault", defaults=(None,))):
    """Our role, the path, and whether it is faulty."""

    def __str__(self):
        return self.role if self.fault else "%s v%d mtu%d" % self[:3]


def pingpong(world, log, where, tool, size, iterations, *options):
    size, iterations = int(size), int(iterations)
    words = [tool, "-p", str(PORT), "-s", str(size), "-n", str(iterations), *options]
    # ibv_ud_pingpong has no -m, ibv_srq_pingpong no -c.
    words += (["-m", str(where.ib_mtu)] if tool != "ud_pingpong" else []) + (["-c"] if tool != "srq_pingpong" else [])

    def exchange():
        with last_ack_may_be_lost(world, where.fault):
            outputs = run_both(world, log, where, words, PORT)
        check_data(outputs, size * iterations * 2)
        for output in outputs if tool == "srq_pingpong" else ():
            check_queue_pairs(output)
        return outputs
    if where.fault:
        return with_counters(world, exchange)
    before = world.kernel.counters()
    outputs = exchange()
    after = world.kernel.counters()
    log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, after))
    if tool == "rc_pingpong":
        check_timers(before, after, iterations, iterations * -(-size // where.ib_mtu), outputs[0])
    return None


def perftest(world, log, where, tool, *options):
    is_managed = "-R" in options or "-z" in options
    iterations = None if "-D" in options else PERFTEST_ITERATIONS
    words = [tool, "-p", str(PORT), "-m", str(where.ib_mtu), *(["-n", str(iterations)] if iterations else []), *options]
    before = world.kernel.counters()
    try:
        # The only test that ends without a closing message on the side channel.
        with last_ack_may_be_lost(world, where.fault and tool == "ib_write_lat"):
            outputs = run_both(world, log, where, words, PORT, is_managed)
    except CaseFailed as failure:
        if is_managed and "the client" in str(failure) and "connect" in failure.output.lower():
            # perftest's client for rdma_cm connected before a slow server listened a second time, and gave up.
            raise Recovered(str(failure), note="the client connected too early") from failure
        raise
    log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, world.kernel.counters()))
    queue_pairs = int(options[options.index("-q") + 1]) if "-q" in options else 1
    check_perftest(outputs, where.ib_mtu, iterations and iterations * queue_pairs, queue_pairs, tool in CLIENT_REPORTS_ALONE)


def rping_words(role, address, *options):
    return ["rping"] + (["-s", "-v", "-a"] if role == "server" else ["-c", "-v", "-V", "-a"]) + [address, *options]


def rping(world, log, where, size, count, *options):
    """The action of a case with rping, which prints its payload: every ping is compared on both sides.

    Options go to both sides, what follows "ours=" to our program only. "clients=N" clients share a server that then runs on.
    """
    size, count = int(size), int(count)
    special = dict(word.split("=", 1) for word in options if word[0] != "-")
    clients, ours = int(special.get("clients", 1)), [special["ours"]] if "ours" in special else []

    def ping():
        with Programs(world, log, where) as programs:
            address, server_ends = programs.server.address(where.family), clients == 1
            more = [*(word for word in options if word[0] == "-"), "-S", str(size)]
            programs.start_server(rping_words("server", address, *more, *([] if server_ends else ["-P"])), RPING_PORT, True, ours)
            for _ in range(clients):
                client = programs.start_client(rping_words("client", address, *more, "-C", str(count)), ours)
                if clients > 1 and programs.client.is_kernel:
                    # rping -P loses a request when the next one arrives before it has accepted the first.
                    await_words(programs.client, client, "ping data: ")
                elif clients > 1:
                    # Several NICs of ours on one host would need different addresses.
                    programs.finish(server_ends=False)
            if where.fault:
                programs.finish(FAULTY_SECONDS, server_ends=False)
                if where.role == "server" and programs.server_run.wait(DISCONNECT_SECONDS) is None:
                    # That of a kernel's client: after its program has ended nothing retransmits it.
                    raise Recovered("the server still waits for a DREQ", note="the last DREQ was lost")
            programs.finish(FAULTY_SECONDS, server_ends)
            for client in programs.client_runs:
                check_pings("ping data: ", client.output, count, size)
            check_pings("server ping data: ", programs.server_run.output, count, size, clients)
    if where.fault:
        return with_counters(world, ping)
    with without_retransmissions(world, log) as frames:
        ping()
    check_path_mtu(frames, size, where.ib_mtu, count * clients)
    return None


def with_counters(world, action):
    before = world.kernel.counters()
    with FrameTap(world.kernel.tap) as tap:
        action()
        # Queue pair 1 has retransmissions of its own.
        retransmitted = count_retransmitted([frame for frame in tap.collect() if frame.qpn != 1], world.ours.address(4))
    return moved(({"retransmitted_pkts": 0}, before), ({"retransmitted_pkts": retransmitted}, world.kernel.counters()))


def rdmacm(world, log, where, program, *options):
    """The action of a case with a program of rdmacm-utils."""
    client, port, bind, server_ends, wanted = RDMACM[program]
    # Of these only rdma_server must run without a retransmission.
    checked = without_retransmissions(world, log) if program == "rdma_server" else contextlib.nullcontext()
    with checked, Programs(world, log, where) as programs:
        address = programs.server.address(where.family)
        programs.start_server([program, bind, address, *options], port, True)
        client_run = programs.start_client([client, "-s", address, *options])
        programs.finish(server_ends=server_ends)
        for name, command in ((client, client_run), (program, programs.server_run))[:1 + server_ends]:
            check_words(command.output, *(wanted or (name + ": end 0",)))


def no_listener(world, log, where, program):
    """The action of a case whose client connects to a port without a listener, and must fail."""
    with Programs(world, log, where) as busy, Programs(world, log, where) as programs:
        # A server on another port keeps our NIC open; the kernel's is always there.
        address = busy.server.address(4)
        busy.start_server(rping_words("server", address, "-p", str(BUSY_PORT)), BUSY_PORT, True)
        client = programs.start_client(rping_words("client", address) if program == "rping" else [program, "-s", address])
        if programs.wait(programs.client, client) in (None, 0):
            raise CaseFailed("the client (%s) ended with status %s: %s" % (programs.client.name, client.status, last_line(client.output)))
        check_words(client.output, *NO_LISTENER[program][:1 if programs.client.is_kernel else 2])


def multicast(world, log, where):
    """mckey: the server receives; the client sends three seconds after it has joined."""
    with Programs(world, log, where) as programs:
        words = ["mckey", "-m", GROUP, "-C", str(GROUP_MESSAGES), "-b"]
        programs.server_run = programs.server.start_program([*words, programs.server.address(4)], 4)
        await_words(programs.server, programs.server_run, "joined dgid")
        await_words(programs.client, programs.start_client([*words, programs.client.address(4), "-s"]), "joined dgid")
        for output in programs.finish():
            check_words(output, "data transfers complete", "return status 0")


def await_words(peer, command, wanted):
    deadline = time.monotonic() + START_SECONDS
    while wanted not in command.output:
        if command.status is not None or time.monotonic() > deadline:
            raise CaseFailed("%s does not print '%s': %s" % (peer.name, wanted, last_line(command.output)))
        time.sleep(0.1)


def ucx(world, log, where, *words):
    """The action of a case with ucx_perftest: variables of both sides, and options of the client."""
    variables = [word for word in words if "=" in word]
    server = [*UCX, *variables, "ucx_perftest", "-p", str(LIBRARY_PORT)]
    client = [*server, *words[len(variables):], "-n", "500", "-w", "50"]
    library(world, log, where, server, client, r"^Final: +500", UCX_OF_KERNEL)


def libfabric(world, log, where, *options):
    """The action of a case with fi_pingpong, whose last option is the size of a message."""
    words, expected = [*LIBFABRIC, *options], r"^%dk +10 +=10" % (int(options[-1]) // 1024)
    library(world, log, where, [*words, "-B", str(LIBRARY_PORT)], [*words, "-P", str(LIBRARY_PORT)], expected)


def library(world, log, where, server_words, client_words, expected, of_kernel=()):
    """The action of a case with a test program of UCX or libfabric; `of_kernel` are variables of the kernel peer's side."""
    program = next(word for word in server_words if "=" not in word)
    if shutil.which(program) is None:
        raise CaseSkipped("%s is not installed" % program)
    with Programs(world, log, where) as programs:
        def words(peer, own):
            return ["env"] + (list(of_kernel) if peer.is_kernel else []) + own
        programs.start_server(words(programs.server, server_words), LIBRARY_PORT)
        programs.start_client(words(programs.client, client_words) + [programs.server.address(4)])
        if not re.search(expected, programs.finish()[0], re.MULTILINE):
            raise CaseFailed("the client (%s) did not print '%s'" % (programs.client.name, expected))


def unchanged(action):
    return lambda world, log: action(types.SimpleNamespace(ours=StockPeer(), kernel=world.kernel), log)


ACTIONS = {action.__name__: action for action in (pingpong, perftest, rping, rdmacm, no_listener, multicast, ucx, libfabric)}


def cases():
    found = []
    for row in table("program_cases.tsv"):
        function, *words = row.action.split()
        for role, setting, fault in itertools.product(ROLES, row.where.replace("all", "v4 v6 v4/4096 v6/4096").split(), row.faults.split(", ")):
            family, _, ib_mtu = setting.partition("/")
            where = Where(role, int(family[1:]), int(ib_mtu or IB_MTU), dict(FAULTS)[fault] if fault != "-" else None)
            name = row.name if row.name != "-" else " ".join([words[0], "{where}", *words[1:]])
            name = name.format(where=where, role=role)
            action = bound(ACTIONS[function], where, *words)
            if row.programs == "stock":
                name, action = "unchanged " + name, unchanged(action)
            found.append(Case("netem %s: %s" % (fault, name) if where.fault else name, MTUS[where.ib_mtu], action, fault=where.fault))
    return found
