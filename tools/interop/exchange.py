"""The cases with verbs agents: two connected queue pairs, a body that uses them, and what must hold afterwards.

A body is written once, for a requester and a responder, and runs with our NIC as either.
"""

from cases import Case, Recovered
from kernel_safety import check_harmless
from peers import recovery_since
from verbs_client import SHORT_TIMEOUT, connect
from wire import FrameTap, describe

DIRECTIONS = (("ours to kernel", True), ("kernel to ours", False))
IB_MTU, INTERFACE_MTU = 1024, 1500
# Odd, so that only the first buffer is aligned, and large enough to reveal a write past the end.
GAP = 61

OUR_COUNTERS = (("retransmitted_pkts", "retransmitted"), ("rcvd_seq_err", "seq NAK in"), ("send_seq_err", "seq NAK out"),
                ("implied_nak", "implied NAK"), ("loss_probe", "probes"), ("ack_timeout", "timeouts"),
                ("duplicate_request", "duplicates"), ("reorder_buffered", "kept"), ("bad_icrc", "bad ICRC"))
KERNEL_COUNTERS = (("completer_retry_err", "retries"), ("rcvd_seq_err", "seq NAK in"), ("out_of_seq_request", "out of seq"),
                   ("duplicate_request", "duplicates"), ("send_rnr_err", "RNR out"))


class Exchange:
    """The argument of a body: two connected queue pairs, and one slot of memory for each message size."""

    def __init__(self, requester_agent, responder_agent, mtu, sizes=None, **options):
        self.mtu = mtu
        self.requester, self.responder = connect(requester_agent, responder_agent, mtu, **options)
        sizes = sizes or (0, 1, mtu - 1, mtu, mtu + 1, 65536, 1048576)
        self.slots = [(sum(sizes[:index]) + GAP * index, size) for index, size in enumerate(sizes)]
        self.length = sum(sizes) + GAP * len(sizes)

    def memory(self, endpoint, seed):
        return endpoint.agent.memory(self.length, seed=seed)


def exchange_case(name, body, we_request, family=4, ib_mtu=IB_MTU, interface_mtu=INTERFACE_MTU, exact=True, agent="host", fault=None,
                  needs_newer=False, **options):
    """A case; `exact` allows no retransmission. `options` are those of Exchange."""
    def run(world, log):
        with world.agents(family, log) as (ours, kernel), FrameTap(world.kernel.tap) as tap:
            requester, responder = (ours, kernel) if we_request else (kernel, ours)
            before = ours.counters(), kernel.counters()
            try:
                body(Exchange(requester, responder, ib_mtu, **dict({} if exact else SHORT_TIMEOUT, **options)))
                if ib_mtu == IB_MTU:
                    check_harmless(tap.collect(), world.kernel.address(family))
            finally:
                log.add("frames on the wire", describe(tap.collect(), world.ours.address(family)))
            after = ours.counters(), kernel.counters()
        recovered = [text for old, new in zip(before, after) for text in recovery_since(old, new)]
        if exact and recovered:
            raise Recovered("packets were retransmitted: " + ", ".join(recovered))
        return None if exact else moved(before, after)
    return Case(name, interface_mtu, run, agent=agent, fault=fault, needs_newer=needs_newer)


def count_retransmitted(frames, address):
    """Number of request packets from an address whose PSN had been sent before."""
    psns = [frame.psn for frame in frames if frame.source == address and not frame.is_response]
    return len(psns) - len(set(psns))


def moved(before, after):
    """The counters of ours and of the kernel that changed, as text: 'ours: 12 retransmitted; kernel: 3 retries'."""
    texts = []
    for side, names, old, new in (("ours", OUR_COUNTERS, before[0], after[0]), ("kernel", KERNEL_COUNTERS, before[1], after[1])):
        words = ["%d %s" % (new[name] - old[name], word) for name, word in names if new.get(name, 0) != old.get(name, 0)]
        if new:
            texts.append("%s: %s" % (side, ", ".join(words) or "nothing"))
    return "; ".join(texts)
