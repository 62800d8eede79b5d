"""perftest of the kernel peer against ours: every test, we as server and as client.

Nothing in perftest compares data, so a case holds both sides to the same conversation instead: both end well, agree on the path
MTU, show each other's address, and report the messages that were asked for. Counters of the kernel are in the log of a case and
not judged: a bandwidth test keeps a slow guest busy for longer than its own timer waits.
"""

import re

from cases import Case, CaseFailed, CaseSkipped
from faults import netem
from netem_cases import last_ack_may_be_lost
from pingpong_cases import last_line, run_both

MTUS = ((1500, 1024), (4200, 4096))
ROLES = ("server", "client")
TESTS = ("ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat", "ib_atomic_bw", "ib_atomic_lat")
# The server only waits and has nothing of its own to report.
CLIENT_REPORTS_ALONE = ("ib_read_lat", "ib_atomic_lat")
ITERATIONS = 20
# Of each only what another does not show: a transport, both directions, several queue pairs, all sizes, a time, a list. All sizes
# stay with the test that meets before and after each: 80 MiB through an emulated processor take half a minute.
VARIANTS = (("ib_send_bw", "-c UC -s 5000"), ("ib_write_bw", "-c UC -s 5000"), ("ib_write_lat", "-c UC"), ("ib_send_bw", "-c UD -s 1024"),
            ("ib_send_lat", "-c UD"), ("ib_send_bw", "-b"), ("ib_write_bw", "-b"), ("ib_read_bw", "-b -s 4096"), ("ib_send_bw", "-q 3 -s 4096"),
            ("ib_write_bw", "-q 2 -s 4096"), ("ib_write_bw", "-l 4 -s 512"), ("ib_atomic_bw", "-A CMP_AND_SWAP"), ("ib_read_bw", "-s 16"))
# Connected by rdma_cm (-R), or only conversing over it (-z); several connections, both kinds of queue pairs.
MANAGED = (("ib_send_bw", "-R"), ("ib_write_lat", "-R"), ("ib_read_bw", "-R -q 2 -s 4096"), ("ib_send_lat", "-R -c UD"),
           ("ib_write_bw", "-z"))
FAULTS = (("loss 1%", netem("loss 1%")), ("reorder 25%", netem("delay 2ms reorder 25% 50%")))
# Some 300 packets each.
FAULTY = (("ib_send_bw", "-s 16384"), ("ib_write_lat", "-s 8192"), ("ib_read_bw", "-s 16384"))
TIMED = ("ib_send_bw", "ib_write_bw", "ib_send_lat", "ib_read_lat")


def test(tool, our_role, family, ib_mtu, options="", is_faulty=False):
    """The action of one case; `our_role` is server or client. Over a faulty link the conversation takes the way of the commands."""
    def run(world, log):
        words = options.split()
        is_managed = "-R" in words or "-z" in words
        if is_managed and family == 6:
            raise CaseSkipped("perftest 4.5 looks up IPv4 addresses only for rdma_cm")
        server = world.ours if our_role == "server" else world.kernel
        timed = "-D" in words
        # -F: perftest in a busy guest that cannot tell the rate of its clock refuses to report anything without it.
        arguments = ["-F", "-m", str(ib_mtu)] + ([] if timed else ["-n", str(ITERATIONS)]) + words
        before = world.kernel.counters()
        # Of all tests only this one ends without a last word.
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
        raise CaseFailed("the %s did not settle on path MTU %d: %s" % (role, ib_mtu, last_line(output)))


def check_report(role, output, iterations):
    """The last row of numbers: size, messages, and something measured: "inf" where a busy guest could not tell its clock's rate."""
    rows = [line.split() for line in output.splitlines() if re.match(r" \d+ +\d+ +([0-9.]+|inf)\s", line)]
    if not rows:
        raise CaseFailed("the %s reported no numbers: %s" % (role, last_line(output)))
    counted = int(rows[-1][1])
    if counted < 1 or (iterations is not None and counted != iterations):
        raise CaseFailed("the %s reported %d messages instead of %s" % (role, counted, iterations or "at least one"))


def addresses(output, side):
    return re.findall(r"^ %s address: (.*)$" % side, output, re.MULTILINE)


def check_addresses(output, other_output, queue_pairs):
    """What one side has, the other side was told."""
    own, told = addresses(output, "local"), addresses(other_output, "remote")
    if len(own) != queue_pairs or own != told:
        raise CaseFailed("one side has %s, the other was told %s" % (own, told))


def cases():
    found = []
    for role in ROLES:
        for tool in TESTS:
            # Each family once and each MTU once: what they do to packets is in the cases of verbs and pingpong.
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
