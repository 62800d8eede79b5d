"""Programs of a kernel peer against ours, with our NIC as server and as client.

Names that begin with "unchanged" run the stock program of the host's distribution on our NIC (tools/rxe run), the same as the kernel
peer's; the others run our own.
"""

import contextlib
import re
import shutil
import time
import types

from cases import Case, CaseFailed, CaseSkipped, Recovered
from faults import DELAY, FAULTS, LOSS, REORDER
from peers import StockPeer, moved
from programs import (LONG_ITERATIONS, Programs, check_data, check_path_mtu, check_perftest, check_pings,
                      check_queue_pairs, check_timers, check_words, last_ack_may_be_lost, last_line, run_both, without_retransmissions)
from verbs_client import START_SECONDS
from wire import FrameTap, count_retransmitted

MTUS = ((1500, 1024), (4200, 4096))
INTERFACE_MTU, IB_MTU = MTUS[0]
ROLES = ("server", "client")

# Pingpongs: size and iterations. Few on purpose: kernel 6.1 starts its acknowledgement timer (67 ms) with a packet and does not stop it
# with the acknowledgement, so in a longer run it expires while a later packet is in flight and retransmits for no reason. In a run that
# ends before that, every counter that increases is a finding.
PORT = 18515
RC_PINGPONGS = ((1, 10), (1024, 10), (4096, 10), (5000, 10), (65536, 5), (1048576, 2))
# Several packets where the transport allows it; a datagram is one packet.
OTHER_PINGPONGS = (("uc_pingpong", 5000, 10), ("ud_pingpong", 1024, 10), ("srq_pingpong", 5000, 60))
# UC and UD retransmit nothing, and a duplicated first packet starts a second message: only delay leaves all data intact.
FAULTY_PINGPONGS = (("srq_pingpong", 5000, 60, LOSS), ("srq_pingpong", 5000, 60, REORDER), ("uc_pingpong", 5000, 10, DELAY),
                    ("ud_pingpong", 1024, 10, DELAY)) + tuple(("rc_pingpong", 4096, 20, fault) for fault in FAULTS)

# perftest compares no data, and its counters are not checked: a bandwidth test keeps a slow guest busy for longer than its acknowledgement
# timeout. One variant for each feature: a transport, both directions, several queue pairs, a size, a time. -a is left out: 80 MiB
# through an emulated CPU take half a minute.
PERFTEST_ITERATIONS = 20
PERFTEST = ("ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat")
PERFTEST_VARIANTS = (
    ("ib_send_bw", "-c UC -s 5000"), ("ib_write_bw", "-c UC -s 5000"), ("ib_write_lat", "-c UC"), ("ib_send_bw", "-c UD -s 1024"),
    ("ib_send_lat", "-c UD"), ("ib_send_bw", "-b"), ("ib_write_bw", "-b"), ("ib_read_bw", "-b -s 4096"), ("ib_send_bw", "-q 3 -s 4096"),
    ("ib_write_bw", "-q 2 -s 4096"), ("ib_read_bw", "-s 16"), ("ib_send_bw", "-D 1"), ("ib_write_bw", "-D 1"), ("ib_send_lat", "-D 1"),
    ("ib_read_lat", "-D 1"))
# About 300 packets each.
FAULTY_PERFTEST = (("ib_send_bw", "-s 16384"), ("ib_write_lat", "-s 8192"), ("ib_read_bw", "-s 16384"))
# Besides: events, atomics, lists of requests, and connections made by rdma_cm (-R) or addresses exchanged over it (-z).
STOCK_PERFTEST = (
    ("ib_send_bw", "-s 4096"), ("ib_write_bw", "-s 4096"), ("ib_read_bw", "-s 4096"), ("ib_atomic_bw", ""), ("ib_send_lat", "-e"),
    ("ib_write_lat", ""), ("ib_read_lat", ""), ("ib_atomic_lat", "-A CMP_AND_SWAP"), ("ib_send_bw", "-c UD -s 1024"),
    ("ib_write_bw", "-c UC -s 5000"), ("ib_send_bw", "-b"), ("ib_write_bw", "-q 3 -t 16 -s 4096"), ("ib_send_bw", "-D 1"),
    ("ib_write_bw", "-R -s 4096"), ("ib_send_lat", "-R -c UD"), ("ib_atomic_lat", ""), ("ib_atomic_bw", "-A CMP_AND_SWAP"),
    ("ib_atomic_bw", "-b"), ("ib_write_bw", "-l 4 -s 512"), ("ib_send_bw", "-R"), ("ib_write_lat", "-R"), ("ib_read_bw", "-R -q 2 -s 4096"),
    ("ib_send_bw", "-R -c UD -s 1024"), ("ib_write_bw", "-z"))
STOCK_PERFTEST_V6 = (("ib_send_bw", 0), ("ib_read_lat", 0), ("ib_atomic_bw", 1), ("ib_atomic_lat", 1))
# In these tests the server only waits and reports nothing.
CLIENT_REPORTS_ALONE = ("ib_read_lat", "ib_atomic_lat")

# Programs of rdmacm-utils that report only that all their messages arrived: the client's name, the port, the words of the two sides.
RDMACM = {"udaddy": ("udaddy", 7174, ("data transfers complete", "return status 0")),
          "ucmatose": ("ucmatose", 7471, ("data transfers complete", "return status 0")),
          "rdma_server": ("rdma_client", 7471, ()), "cmtime": ("cmtime", 7471, ("disconnect",))}
RPING_PORT, BUSY_PORT = 7174, 7100
# A lost message of connection management is retransmitted after 6 s, a lost packet of a kernel's data after 2.1 s.
FAULTY_SECONDS, DISCONNECT_SECONDS = 90, 15
GROUP, GROUP_MESSAGES = "239.7.7.7", 10

LIBRARY_PORT = 13337
# Keeps UCP off other networks. By itself UCX takes the link-local GID of rdma_rxe, and it does not find the IPv4 address of datagrams in
# rdma_rxe's completions.
UCX, UCX_OF_KERNEL = ["UCX_NET_DEVICES=rxe0:1"], ["UCX_IB_GID_INDEX=1", "UCX_UD_VERBS_ETH_DGID_CHECK=n"]
# Name of the case, variables of both sides, options of the client.
UCX_TESTS = (
    ("rc_verbs put_lat", [], "-d rxe0:1 -x rc_verbs -t put_lat"),
    ("rc_verbs get zcopy", [], "-d rxe0:1 -x rc_verbs -t get -D zcopy -s 8192"),
    ("rc_verbs cswap", [], "-d rxe0:1 -x rc_verbs -t cswap"),
    ("ud_verbs am_lat", [], "-d rxe0:1 -x ud_verbs -t am_lat"),
    ("UCP rc tag_lat", ["UCX_TLS=rc"], "-t tag_lat"),
    ("UCP rc tag_bw", ["UCX_TLS=rc"], "-t tag_bw -s 20000"),
    ("UCP ud tag_lat", ["UCX_TLS=ud"], "-t tag_lat -s 1000"))
# Name of the case, options of both sides, the start of the last line. verbs;ofi_rxm is not here: over rdma_rxe its fi_enable ends with
# EINVAL, also between two kernels. The variable has the index of the IPv4 GID, as for UCX.
FI = ["FI_VERBS_GID_IDX=1"]
FI_TESTS = (("verbs msg", ["-p", "verbs", "-e", "msg", "-S", "65536"], "64k"),
            ("verbs;ofi_rxd rdm", ["-p", "verbs;ofi_rxd", "-e", "rdm", "-S", "4096"], "4k"),
            ("verbs dgram", ["-p", "verbs", "-e", "dgram", "-S", "1024"], "1k"))


def pingpong(tool, our_role, family, ib_mtu, size, iterations, options=(), fault=None):
    def run(world, log):
        words = [tool, "-p", str(PORT), "-s", str(size), "-n", str(iterations), *options]
        # ibv_ud_pingpong has no -m, ibv_srq_pingpong no -c.
        words += (["-m", str(ib_mtu)] if tool != "ud_pingpong" else []) + (["-c"] if tool != "srq_pingpong" else [])
        def exchange():
            with last_ack_may_be_lost(world, fault):
                outputs = run_both(world, log, our_role, family, words, PORT, is_faulty=fault)
            check_data(outputs, size * iterations * 2)
            for output in outputs if tool == "srq_pingpong" else ():
                check_queue_pairs(output)
            return outputs
        if fault:
            return with_counters(world, exchange)
        before = world.kernel.counters()
        outputs = exchange()
        after = world.kernel.counters()
        log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, after))
        if tool == "rc_pingpong":
            check_timers(world, before, after, iterations, iterations * -(-size // ib_mtu), outputs[0])
        return None
    return run


def perftest(tool, our_role, family, ib_mtu, options="", fault=None):
    def run(world, log):
        options_list = options.split()
        is_managed = "-R" in options_list or "-z" in options_list
        iterations = None if "-D" in options_list else PERFTEST_ITERATIONS
        words = [tool, "-p", str(PORT), "-m", str(ib_mtu)] + (["-n", str(iterations)] if iterations else []) + options_list
        before = world.kernel.counters()
        try:
            # The only test that ends without a closing message on the side channel.
            with last_ack_may_be_lost(world, fault and tool == "ib_write_lat"):
                outputs = run_both(world, log, our_role, family, words, PORT, is_faulty=fault, is_managed=is_managed)
        except CaseFailed as failure:
            if is_managed and "the client" in str(failure) and "connect" in failure.output.lower():
                # perftest's client for rdma_cm connected before a slow server listened a second time, and gave up.
                raise Recovered(str(failure), note="the client connected too early") from failure
            raise
        log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, world.kernel.counters()))
        queue_pairs = int(options_list[options_list.index("-q") + 1]) if "-q" in options_list else 1
        check_perftest(outputs, ib_mtu, iterations and iterations * queue_pairs, queue_pairs, tool in CLIENT_REPORTS_ALONE)
    return run


def rping_words(role, address, *options):
    return ["rping"] + (["-s", "-v", "-a"] if role == "server" else ["-c", "-v", "-V", "-a"]) + [address, *options]


def rping(our_role, family, ib_mtu, size, count, options="", ours="", clients=1, fault=None):
    """The action of a case with rping, which prints its payload: every ping is compared on both sides.

    `options` go to both sides, `ours` to our program only. Several clients share a server that then runs on.
    """
    def run(world, log):
        def ping():
            with Programs(world, log, our_role, family) as programs:
                address, server_ends = programs.server.address(family), clients == 1
                more = [*options.split(), "-S", str(size)]
                programs.start_server(rping_words("server", address, *more, *([] if server_ends else ["-P"])), RPING_PORT, True, ours.split())
                for _ in range(clients):
                    client = programs.start_client(rping_words("client", address, *more, "-C", str(count)), ours.split())
                    if clients > 1 and programs.client.is_kernel:
                        # rping -P loses a request when the next one arrives before it has accepted the first.
                        await_words(programs.client, client, "ping data: ")
                    elif clients > 1:
                        # Several NICs of ours on one host would need different addresses.
                        programs.finish(server_ends=False)
                if fault:
                    programs.finish(FAULTY_SECONDS, server_ends=False)
                    if our_role == "server" and programs.server_run.wait(DISCONNECT_SECONDS) is None:
                        # That of a kernel's client: after its program has ended nothing retransmits it.
                        raise Recovered("the server still waits for a DREQ", note="the last DREQ was lost")
                programs.finish(FAULTY_SECONDS, server_ends)
                for client in programs.client_runs:
                    check_pings("ping data: ", client.output, count, size)
                check_pings("server ping data: ", programs.server_run.output, count, size, clients)
        if fault:
            return with_counters(world, ping)
        with without_retransmissions(world, log) as frames:
            ping()
        check_path_mtu(frames, size, ib_mtu, count * clients)
        return None
    return run


def with_counters(world, action):
    before = world.kernel.counters()
    with FrameTap(world.kernel.tap) as tap:
        action()
        # Queue pair 1 has retransmissions of its own.
        retransmitted = count_retransmitted([frame for frame in tap.collect() if frame.qpn != 1], world.ours.address(4))
    return moved(({"retransmitted_pkts": 0}, before), ({"retransmitted_pkts": retransmitted}, world.kernel.counters()))


def rdmacm(program, our_role, family, options="", server_ends=True, exact=False):
    """The action of a case with a program of rdmacm-utils; `exact` allows no retransmission."""
    def run(world, log):
        client, port, wanted = RDMACM[program]
        checked = without_retransmissions(world, log) if exact else contextlib.nullcontext()
        with checked, Programs(world, log, our_role, family) as programs:
            address = programs.server.address(family)
            bind = ["-s", address] if program == "rdma_server" else ["-b", address]
            programs.start_server([program, *bind, *options.split()], port, True)
            client_run = programs.start_client([client, "-s", address, *options.split()])
            programs.finish(server_ends=server_ends)
            for name, command in ((client, client_run), (program, programs.server_run))[:1 + server_ends]:
                check_words(command.output, *(wanted or (name + ": end 0",)))
    return run


def no_listener(program, our_role, kernel_text, our_text):
    """The action of a case whose client connects to a port without a listener, and must fail."""
    def run(world, log):
        with Programs(world, log, our_role) as busy, Programs(world, log, our_role) as programs:
            # A server on another port keeps our NIC open; the kernel's is always there.
            address = busy.server.address(4)
            busy.start_server(rping_words("server", address, "-p", str(BUSY_PORT)), BUSY_PORT, True)
            client = programs.start_client(rping_words("client", address) if program == "rping" else [program, "-s", address])
            if programs.wait(programs.client, client) in (None, 0):
                raise CaseFailed("the client (%s) ended with status %s: %s" % (programs.client.name, client.status, last_line(client.output)))
            check_words(client.output, kernel_text, *([] if programs.client.is_kernel else [our_text]))
    return run


def multicast(our_role):
    """mckey: the server receives; the client sends three seconds after it has joined."""
    def run(world, log):
        with Programs(world, log, our_role) as programs:
            for peer, options in ((programs.server, []), (programs.client, ["-s"])):
                words = ["mckey", "-m", GROUP, "-b", peer.address(4), "-C", str(GROUP_MESSAGES)] + options
                command = peer.start_program(words, 4)
                if options:
                    programs.client_runs.append(command)
                else:
                    programs.server_run = command
                await_words(peer, command, "joined dgid")
            for output in programs.finish():
                check_words(output, "data transfers complete", "return status 0")
    return run


def await_words(peer, command, wanted):
    deadline = time.monotonic() + START_SECONDS
    while wanted not in command.output:
        if command.status is not None or time.monotonic() > deadline:
            raise CaseFailed("%s does not print '%s': %s" % (peer.name, wanted, last_line(command.output)))
        time.sleep(0.1)


def library(our_role, server_words, client_words, expected, of_kernel=()):
    """The action of a case with a test program of UCX or libfabric; `of_kernel` are variables of the kernel peer's side."""
    def run(world, log):
        program = next(word for word in server_words if "=" not in word)
        if shutil.which(program) is None:
            raise CaseSkipped("%s is not installed" % program)
        with Programs(world, log, our_role) as programs:
            def words(peer, own):
                return ["env"] + (list(of_kernel) if peer.is_kernel else []) + own
            programs.start_server(words(programs.server, server_words), LIBRARY_PORT)
            programs.start_client(words(programs.client, client_words) + [programs.server.address(4)])
            if not re.search(expected, programs.finish()[0], re.MULTILINE):
                raise CaseFailed("the client (%s) did not print '%s'" % (programs.client.name, expected))
    return run


def unchanged(action):
    return lambda world, log: action(types.SimpleNamespace(ours=StockPeer(), kernel=world.kernel), log)


def own_cases(add):
    for interface_mtu, ib_mtu in MTUS:
        for role in ROLES:
            for family in (4, 6):
                where = "%s v%d mtu%d" % (role, family, ib_mtu)
                for size, iterations in RC_PINGPONGS:
                    add("rc_pingpong %s size %d" % (where, size), pingpong("rc_pingpong", role, family, ib_mtu, size, iterations), interface_mtu)
                add("rc_pingpong %s %d iterations" % (where, LONG_ITERATIONS),
                    pingpong("rc_pingpong", role, family, ib_mtu, 4096, LONG_ITERATIONS), interface_mtu)
                for tool, size, iterations in OTHER_PINGPONGS:
                    add("%s %s" % (tool, where), pingpong(tool, role, family, ib_mtu, size, iterations), interface_mtu)
                for size, count in ((64, 10), (10000, 3)):
                    add("rping %s size %d" % (where, size), rping(role, family, ib_mtu, size, count), interface_mtu)
    for role in ROLES:
        for tool in PERFTEST:
            # Each address family once and each MTU once: the cases of verbs and pingpong cover their combinations.
            for family, (interface_mtu, ib_mtu) in zip((4, 6), MTUS):
                add("%s %s v%d mtu%d" % (tool, role, family, ib_mtu), perftest(tool, role, family, ib_mtu), interface_mtu)
        where = "%s v4 mtu%d" % (role, IB_MTU)
        for tool, options in PERFTEST_VARIANTS:
            add("%s %s %s" % (tool, where, options), perftest(tool, role, 4, IB_MTU, options))
        add("rping %s size 65535" % where, rping(role, 4, IB_MTU, 65535, 1))
        add("rping %s, two engines of ours" % where, rping(role, 4, IB_MTU, 10000, 3, ours="--engines 2"))
        add("rping %s, no listener" % where,
            no_listener("rping", role, "RDMA_CM_EVENT_REJECTED, error 8", "no listener on TCP port 7174 at"))
        for tool, size, iterations, (name, fault) in FAULTY_PINGPONGS:
            add("netem %s: %s %s" % (name, tool, role), pingpong(tool, role, 4, IB_MTU, size, iterations, fault=fault), fault=fault)
        for name, fault in (LOSS, REORDER):
            for tool, options in FAULTY_PERFTEST:
                add("netem %s: %s %s %s" % (name, tool, role, options), perftest(tool, role, 4, IB_MTU, options, fault), fault=fault)
            add("netem %s: rping %s" % (name, role), rping(role, 4, IB_MTU, 3000, 10, fault=fault), fault=fault)


def stock_cases(add):
    """The stock programs, with and without those that we have rebuilt."""
    for role in ROLES:
        for family in (4, 6):
            for index, (interface_mtu, ib_mtu) in enumerate(MTUS):
                where = "%s v%d mtu%d" % (role, family, ib_mtu)
                add("rdma_server, rdma_client " + where, rdmacm("rdma_server", role, family, exact=True), interface_mtu)
                add("udaddy %s -S %d" % (where, ib_mtu), rdmacm("udaddy", role, family, "-S %d" % ib_mtu), interface_mtu)
                add("ucmatose " + where, rdmacm("ucmatose", role, family, "-c 3 -S %d" % (100 + 4000 * index)), interface_mtu)
            where = "%s v%d mtu%d" % (role, family, IB_MTU)
            for tool, size, iterations in (("rc_pingpong", 5000, 10),) + OTHER_PINGPONGS:
                add("%s %s" % (tool, where), pingpong(tool, role, family, IB_MTU, size, iterations))
            add("rping " + where, rping(role, family, IB_MTU, 10000, 3))
            add("udaddy " + where, rdmacm("udaddy", role, family, "-c 2"))
        where = "%s v4 mtu%d" % (role, IB_MTU)
        for tool, size, iterations in (("rc_pingpong", 5000, 10),) + OTHER_PINGPONGS:
            add("%s %s -e" % (tool, where), pingpong(tool, role, 4, IB_MTU, size, iterations, options=["-e"]))
        for tool, options in STOCK_PERFTEST:
            add(("%s %s %s" % (tool, where, options)).rstrip(), perftest(tool, role, 4, IB_MTU, options))
        for tool, index in STOCK_PERFTEST_V6:
            add("%s %s v6 mtu%d" % (tool, role, MTUS[index][1]), perftest(tool, role, 6, MTUS[index][1]), MTUS[index][0])
        add("rping %s -q" % where, rping(role, 4, IB_MTU, 64, 3, options="-q"))
        add("rping %s -P, three clients" % where, rping(role, 4, IB_MTU, 64, 5, clients=3))
        for options in ("-c 3", "-c 4 -C 30"):
            add("udaddy %s %s" % (where, options), rdmacm("udaddy", role, 4, options))
        add("udaddy %s, no listener" % where,
            no_listener("udaddy", role, "RDMA_CM_EVENT_UNREACHABLE, error: 1", "RDMA_CM_EVENT_UNREACHABLE, error: 1"))
        add("cmtime %s -c 20" % where, rdmacm("cmtime", role, 4, "-c 20", server_ends=False))
        add("mckey " + where, multicast(role))
        for name, variables, options in UCX_TESTS:
            words = UCX + variables + ["ucx_perftest", "-p", str(LIBRARY_PORT)]
            add("ucx_perftest %s v4: %s" % (role, name), library(role, words, words + options.split() + ["-n", "500", "-w", "50"],
                                                                 r"^Final: +500", UCX_OF_KERNEL))
        for name, options, size in FI_TESTS:
            words = FI + ["fi_pingpong", "-c"] + options
            add("fi_pingpong %s v4: %s" % (role, name), library(role, words + ["-B", str(LIBRARY_PORT)], words + ["-P", str(LIBRARY_PORT)],
                                                               r"^%s +10 +=10" % size))


def cases():
    found = []

    def add(name, action, interface_mtu=INTERFACE_MTU, fault=None):
        found.append(Case(name, interface_mtu, action, fault=fault))
    own_cases(add)
    stock_cases(lambda name, action, interface_mtu=INTERFACE_MTU: add("unchanged " + name, unchanged(action), interface_mtu))
    return found
