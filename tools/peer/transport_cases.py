"""The pingpongs over UC, UD and a shared receive queue: the kernel peer's against ours, we as server and as client."""

from cases import Case, CaseFailed
from pingpong_cases import check_data, run_both

MTUS = ((1500, 1024), (4200, 4096))
ITERATIONS = 10
SHARED_ITERATIONS = 60
# Several packets where the transport can; a datagram is one packet.
SIZES = {"uc_pingpong": 5000, "ud_pingpong": 1024, "srq_pingpong": 5000}
QUEUE_PAIRS = 16


def pingpong(tool, our_role, family, ib_mtu):
    """The action of one case; `our_role` is server or client."""
    def run(world, log):
        is_shared = tool == "srq_pingpong"
        iterations, size = SHARED_ITERATIONS if is_shared else ITERATIONS, SIZES[tool]
        arguments = ["-s", str(size), "-n", str(iterations)]
        # ibv_ud_pingpong knows no -m, ibv_srq_pingpong no -c.
        arguments += ["-m", str(ib_mtu)] if tool != "ud_pingpong" else []
        arguments += ["-c"] if not is_shared else []
        before = world.kernel.counters()
        client_run, server_run = run_both(world, log, tool, our_role, family, arguments)
        log.add("hw_counters of the kernel peer", "before %s\nafter  %s" % (before, world.kernel.counters()))
        check_data(client_run, server_run, size * iterations * 2)
        if is_shared:
            check_queue_pairs(client_run.output)
            check_queue_pairs(server_run.output)
    return run


def check_queue_pairs(output):
    for side in ("local address:", "remote address:"):
        count = sum(line.strip().startswith(side) for line in output.splitlines())
        if count != QUEUE_PAIRS:
            raise CaseFailed("%d lines of '%s' instead of %d" % (count, side, QUEUE_PAIRS))


def cases():
    found = []
    for interface_mtu, ib_mtu in MTUS:
        for role in ("server", "client"):
            for family in (4, 6):
                for tool in SIZES:
                    found.append(Case("%s %s v%d mtu%d" % (tool, role, family, ib_mtu), interface_mtu,
                                      pingpong(tool, role, family, ib_mtu)))
    return found
