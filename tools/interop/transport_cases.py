"""The pingpongs over UC, UD and a shared receive queue: the kernel peer's against ours, in both roles."""

from cases import Case, CaseFailed
from faults import netem
from netem_cases import last_ack_may_be_lost
from pingpong_cases import check_data, run_both

MTUS = ((1500, 1024), (4200, 4096))
ITERATIONS = 10
SHARED_ITERATIONS = 60
# Several packets where the transport allows it; a datagram is one packet.
SIZES = {"uc_pingpong": 5000, "ud_pingpong": 1024, "srq_pingpong": 5000}
QUEUE_PAIRS = 16
# UC and UD retransmit nothing, and a duplicated first packet starts a second message: only delay leaves all data intact.
FAULTS = (("srq_pingpong", "loss 1%", netem("loss 1%")),
          ("srq_pingpong", "reorder 25%", netem("delay 2ms reorder 25% 50%")),
          ("uc_pingpong", "delay 5ms", netem("delay 5ms")),
          ("ud_pingpong", "delay 5ms", netem("delay 5ms")))


def pingpong(tool, our_role, family, ib_mtu, is_faulty=False, options=()):
    """The action of one case; `our_role` is server or client. Over a faulty link the addresses are exchanged on the control network.

    `options` go to both sides.
    """
    def run(world, log):
        is_shared = tool == "srq_pingpong"
        iterations, size = SHARED_ITERATIONS if is_shared else ITERATIONS, SIZES[tool]
        arguments = ["-s", str(size), "-n", str(iterations), *options]
        # ibv_ud_pingpong has no -m, ibv_srq_pingpong no -c.
        arguments += ["-m", str(ib_mtu)] if tool != "ud_pingpong" else []
        arguments += ["-c"] if not is_shared else []
        before = world.kernel.counters()
        server = world.ours if our_role == "server" else world.kernel
        with last_ack_may_be_lost(world, is_faulty):
            client_run, server_run = run_both(world, log, tool, our_role, family, arguments,
                                              server.control_address if is_faulty else None)
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
    interface_mtu, ib_mtu = MTUS[0]
    for tool, name, fault in FAULTS:
        for role in ("server", "client"):
            found.append(Case("netem %s: %s %s" % (name, tool, role), interface_mtu,
                              pingpong(tool, role, 4, ib_mtu, is_faulty=True), fault=fault))
    return found
