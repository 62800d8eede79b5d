"""The fault matrix: every operation, in both directions, over a link that loses, duplicates, reorders, corrupts and delays.

A case passes when every byte is correct and every request completes once and in order. It shows how much was retransmitted, but
only the amplification cases limit it.
"""

import verbs_cases
from cases import Case, CaseFailed, CaseSkipped
from faults import netem
from kernel_safety import check_harmless
from verbs_cases import Exchange
from wire import FrameTap, describe

IB_MTU = 1024
INTERFACE_MTU = 1500

# Our frames carry a UDP checksum, so the guest drops corrupted ones before rdma_rxe sees them. Frames from the kernel
# carry none, so our ICRC check must find every corrupted one.
FAULTS = (("loss 1%", netem("loss 1%")),
          ("loss 5%", netem("loss 5%")),
          ("duplicate 10%", netem("duplicate 10%")),
          ("reorder 25%", netem("delay 2ms reorder 25% 50%")),
          ("corrupt 3%", netem("corrupt 3%")),
          ("delay 5ms", netem("delay 5ms")))

SIZES = (0, 1, IB_MTU, IB_MTU + 1, 8000, 20000)
BODIES = (verbs_cases.write, verbs_cases.write_imm, verbs_cases.send, verbs_cases.send_imm, verbs_cases.read,
          verbs_cases.fetch_add, verbs_cases.cmp_swap)
# Timeout code 14 is 67 ms: each loss at the end of a message costs a kernel requester that much.
SHORT_TIMEOUT = {"timeout": 14, "retry_cnt": 7, "rnr_retry": 7}

MESSAGES, MESSAGE_BYTES = 60, 8000
FRAMES_PER_MESSAGE = -(-MESSAGE_BYTES // IB_MTU)
# Losses are random: one run proves little.
AMPLIFICATION_RUNS = 3
MAX_AMPLIFICATION = 2.0

OUR_COUNTERS = (("retransmitted_pkts", "retransmitted"), ("rcvd_seq_err", "seq NAK in"), ("send_seq_err", "seq NAK out"),
                ("implied_nak", "implied NAK"), ("loss_probe", "probes"), ("ack_timeout", "timeouts"),
                ("duplicate_request", "duplicates"), ("reorder_buffered", "kept"), ("bad_icrc", "bad ICRC"))
KERNEL_COUNTERS = (("completer_retry_err", "retries"), ("rcvd_seq_err", "seq NAK in"), ("out_of_seq_request", "out of seq"),
                   ("duplicate_request", "duplicates"), ("send_rnr_err", "RNR out"))


def skip_corruption_between_kernels(world, fault):
    """Kernels send no UDP checksum, so a corrupted packet of one could crash the other."""
    if fault and world.ours.is_kernel and "corrupt" in fault.received:
        raise CaseSkipped("a corrupted packet can crash a kernel")


def verbs_case(we_request, fault):
    """All operations in sequence on one connection."""
    def run(world, log):
        skip_corruption_between_kernels(world, fault)
        with world.agents(4, log) as (ours, kernel), FrameTap(world.kernel.tap) as tap:
            before = counters(ours, kernel)
            requester, responder = (ours, kernel) if we_request else (kernel, ours)
            try:
                exchange = Exchange(requester, responder, IB_MTU, sizes=SIZES, **SHORT_TIMEOUT)
                for body in BODIES:
                    body(exchange)
                check_harmless(tap.collect(), world.kernel.address(4))
            finally:
                log.add("frames on the wire", describe(tap.collect(), world.ours.address(4)))
            return moved(before, counters(ours, kernel))
    return run


def amplification_case(opcode):
    """Data frames we send for each one needed, when 5 % of them and 5 % of the responses are lost."""
    def run(world, log):
        runs = []
        for _ in range(AMPLIFICATION_RUNS):
            runs.append(amplification(world, log, opcode))
        ratio, text = sorted(runs)[AMPLIFICATION_RUNS // 2]
        if ratio > MAX_AMPLIFICATION and not world.ours.is_kernel:
            raise CaseFailed("amplification exceeds %.1f: %s" % (MAX_AMPLIFICATION, text))
        return text
    return run


def amplification(world, log, opcode):
    """One run: returns the ratio and a description."""
    with world.agents(4, log) as (ours, kernel), FrameTap(world.kernel.tap) as tap:
        exchange = Exchange(ours, kernel, IB_MTU, sizes=(MESSAGE_BYTES,) * MESSAGES, **SHORT_TIMEOUT)
        before = counters(ours, kernel)
        {"WRITE": verbs_cases.write, "SEND": verbs_cases.send}[opcode](exchange)
        after = counters(ours, kernel)
        frames = tap.collect()
    address = world.ours.address(4)
    sent = sum(1 for frame in frames if frame.source == address and not frame.is_response)
    ratio = sent / (MESSAGES * FRAMES_PER_MESSAGE)
    return ratio, "%.2f data frames sent for each needed, median of %d; %s" % (ratio, AMPLIFICATION_RUNS, moved(before, after))


def count_retransmitted(frames, address):
    """Number of request packets from an address whose PSN had been sent before."""
    psns = [frame.psn for frame in frames if frame.source == address and not frame.is_response]
    return len(psns) - len(set(psns))


def counters(ours, kernel):
    return ours.counters(), kernel.counters()


def moved(before, after):
    """The counters that changed, as text: 'ours: 12 retransmitted; kernel: 3 retries'."""
    texts = []
    for side, names, old, new in (("ours", OUR_COUNTERS, before[0], after[0]),
                                  ("kernel", KERNEL_COUNTERS, before[1], after[1])):
        words = ["%d %s" % (new[name] - old[name], word) for name, word in names if new.get(name, 0) != old.get(name, 0)]
        if new:
            texts.append("%s: %s" % (side, ", ".join(words) or "nothing"))
    return "; ".join(texts)


def cases():
    found = []
    for name, fault in FAULTS:
        for direction, we_request in (("ours to kernel", True), ("kernel to ours", False)):
            found.append(Case("netem %s: verbs %s" % (name, direction), INTERFACE_MTU, verbs_case(we_request, fault),
                              uses_agents=True, fault=fault))
    lossy = netem("loss 5% delay 1ms")
    for opcode in ("WRITE", "SEND"):
        found.append(Case("netem loss 5%% delay 1ms: %s amplification" % opcode, INTERFACE_MTU,
                          amplification_case(opcode), uses_agents=True, fault=lossy))
    return found
