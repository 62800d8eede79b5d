"""perftest of the kernel peer against ours: every test, with our NIC as server and as client.

perftest compares no data. A case checks the exchange instead: both programs exit with status 0, use the same path MTU, show each
other's address, and report the requested number of messages. The kernel's counters are logged and not checked: a bandwidth test
keeps a slow guest busy for longer than its acknowledgement timeout.
"""

import re

from cases import Case, CaseFailed, CaseSkipped
from faults import netem
from netem_cases import last_ack_may_be_lost
from pingpong_cases import last_line, run_both

MTUS = ((1500, 1024), (4200, 4096))
ROLES = ("server", "client")
TESTS = ("ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat", "ib_atomic_bw", "ib_atomic_lat")
# In these tests the server only waits and reports nothing.
CLIENT_REPORTS_ALONE = ("ib_read_lat", "ib_atomic_lat")
ITERATIONS = 20
# One variant for each feature: a transport, both directions, several queue pairs, a size, a list of requests, an atomic. -a is left
# out: 80 MiB through an emulated CPU take half a minute.
VARIANTS = (("ib_send_bw", "-c UC -s 5000"), ("ib_write_bw", "-c UC -s 5000"), ("ib_write_lat", "-c UC"), ("ib_send_bw", "-c UD -s 1024"),
            ("ib_send_lat", "-c UD"), ("ib_send_bw", "-b"), ("ib_write_bw", "-b"), ("ib_read_bw", "-b -s 4096"),
            ("ib_send_bw", "-q 3 -s 4096"), ("ib_write_bw", "-q 2 -s 4096"), ("ib_write_bw", "-l 4 -s 512"),
            ("ib_atomic_bw", "-A CMP_AND_SWAP"), ("ib_read_bw", "-s 16"))
# Connected by rdma_cm (-R), or exchanging addresses over it (-z); several connections, RC and UD.
MANAGED = (("ib_send_bw", "-R"), ("ib_write_lat", "-R"), ("ib_read_bw", "-R -q 2 -s 4096"), ("ib_send_lat", "-R -c UD"),
           ("ib_write_bw", "-z"))
FAULTS = (("loss 1%", netem("loss 1%")), ("reorder 25%", netem("delay 2ms reorder 25% 50%")))
# About 300 packets each.
FAULTY = (("ib_send_bw", "-s 16384"), ("ib_write_lat", "-s 8192"), ("ib_read_bw", "-s 16384"))
TIMED = ("ib_send_bw", "ib_write_bw", "ib_send_lat", "ib_read_lat")


def test(tool, our_role, family, ib_mtu, options="", is_faulty=False):
    """The action of one case; `our_role` is server or client. Over a faulty link the side channel uses the control network."""
    def run(world, log):
        words = options.split()
        is_managed = "-R" in words or "-z" in words
        if is_managed and family == 6:
            raise CaseSkipped("perftest 4.5 looks up IPv4 addresses only for rdma_cm")
        server = world.ours if our_role == "server" else world.kernel
        timed = "-D" in words
        # -F: without it perftest reports nothing in a busy guest where it cannot measure the frequency of its clock.
        arguments = ["-F", "-m", str(ib_mtu)] + ([] if timed else ["-n", str(ITERATIONS)]) + words
        before = world.kernel.counters()
        # The only test that ends without a closing message on the side channel.
        with last_ack_may_be_lost(world, is_faulty and tool == "ib_write_lat"):
            client_run, server_run = run_both(world, log, tool, our_role, family, arguments,
                                              server.control_address if is_faulty else None, is_managed=is_managed)
        log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, world.kernel.counters()))
        queue_pairs = int(words[words.index("-q") + 1]) if "-q" in words else 1
        for role, command in (("client", client_run), ("server", server_run)):
            check_mtu(role, command.output, ib_mtu)
            if role == "client" or tool not in CLIENT_REPORTS_ALONE:
                check_report(role, command.output, None if timed else ITERATIONS * queue_pairs)
        for one, other in ((client_run, server_run), (server_run, client_run)):
            check_addresses(one.output, other.output, queue_pairs)
    return run


def check_mtu(role, output, ib_mtu):
    if not re.search(r"^ Mtu +: %d\[B\]$" % ib_mtu, output, re.MULTILINE):
        raise CaseFailed("the %s does not use path MTU %d: %s" % (role, ib_mtu, last_line(output)))


def check_report(role, output, iterations):
    """Checks the last row: size, messages and a result, which is "inf" where a busy guest could not measure its clock."""
    rows = [line.split() for line in output.splitlines() if re.match(r" \d+ +\d+ +([0-9.]+|inf)\s", line)]
    if not rows:
        raise CaseFailed("the %s printed no row of results: %s" % (role, last_line(output)))
    counted = int(rows[-1][1])
    if counted < 1 or (iterations is not None and counted != iterations):
        raise CaseFailed("the %s reported %d messages instead of %s" % (role, counted, iterations or "at least one"))


def addresses(output, side):
    return re.findall(r"^ %s address: (.*)$" % side, output, re.MULTILINE)


def check_addresses(output, other_output, queue_pairs):
    """The addresses that one side shows as local must be those that the other shows as remote."""
    own, remote = addresses(output, "local"), addresses(other_output, "remote")
    if len(own) != queue_pairs or own != remote:
        raise CaseFailed("one side shows the local addresses %s, the other the remote addresses %s" % (own, remote))


def cases():
    found = []
    for role in ROLES:
        for tool in TESTS:
            # Each address family once and each MTU once: the cases of verbs and pingpong cover their combinations.
            for family, (interface_mtu, ib_mtu) in zip((4, 6), MTUS):
                found.append(Case("%s %s v%d mtu%d" % (tool, role, family, ib_mtu), interface_mtu, test(tool, role, family, ib_mtu)))
        interface_mtu, ib_mtu = MTUS[0]
        for tool, options in VARIANTS + MANAGED + tuple((tool, "-D 1") for tool in TIMED):
            found.append(Case("%s %s v4 mtu%d %s" % (tool, role, ib_mtu, options), interface_mtu,
                              test(tool, role, 4, ib_mtu, options)))
        found.append(Case("ib_send_bw %s v6 mtu%d -R" % (role, ib_mtu), interface_mtu, test("ib_send_bw", role, 6, ib_mtu, "-R")))
    for name, fault in FAULTS:
        for tool, options in FAULTY:
            for role in ROLES:
                found.append(Case("netem %s: %s %s %s" % (name, tool, role, options), interface_mtu,
                                  test(tool, role, 4, ib_mtu, options, is_faulty=True), fault=fault))
    return found
