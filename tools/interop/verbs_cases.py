"""Scripted verbs programs: every operation in both directions, every byte compared; and all of them over a link that loses, duplicates,
reorders, corrupts and delays.
"""

import random
import sys
import time

from cases import Case, CaseFailed, bound
from faults import FAULTS
from peers import moved
from verbs_client import DIRECTIONS, IB_MTU, INTERFACE_MTU, SHORT_TIMEOUT, Exchange, exchange_case
from wire import FrameTap

SOURCE_SEED, TARGET_SEED = 11, 22
FAULTY_SIZES = (0, 1, IB_MTU, IB_MTU + 1, 8000, 20000)
MESSAGES, MESSAGE_BYTES = 60, 8000
FRAMES_PER_MESSAGE = -(-MESSAGE_BYTES // IB_MTU)
# Losses are random: one run proves little.
AMPLIFICATION_RUNS = 3
MAX_AMPLIFICATION = 2.0


def transfer(opcode):
    """A body: one message of each size, all outstanding at once."""
    is_send, is_read, has_immediate = opcode.startswith("SEND"), opcode == "READ", opcode.endswith("_IMM")

    def run(exchange):
        requester, responder = exchange.requester, exchange.responder
        source = exchange.memory(responder if is_read else requester, SOURCE_SEED)
        target = exchange.memory(requester if is_read else responder, TARGET_SEED)
        local, remote = (target, source) if is_read else (source, target)
        received, sent = [], []
        for index, (offset, size) in enumerate(exchange.slots):
            # Four different bytes, to reveal a wrong byte order.
            immediate = 0x81020304 + index if has_immediate else None
            if is_send:
                received.append((responder.recv(*target.elements(offset, size)), "RECV", size, immediate))
            elif has_immediate:
                received.append((responder.recv(), "RECV_WRITE_IMM", size, immediate))
        responder.agent.collect()
        for index, (offset, size) in enumerate(exchange.slots):
            more = {"imm": 0x81020304 + index} if has_immediate else {}
            if not is_send:
                more.update(remote=remote.address + offset, rkey=remote.rkey)
            request = requester.send(opcode, *local.elements(offset, size), **more)
            sent.append((request, opcode.replace("_IMM", ""), size if is_read else None, None))
            target.wanted[offset:offset + size] = source.wanted[offset:offset + size]
        requester.expect(sent)
        responder.expect(received)
        target.check()
        source.check()
    return run


def word(value):
    return (value % 2 ** 64).to_bytes(8, sys.byteorder)


ADDENDS = [1, 2 ** 32 - 1, 2 ** 63, 2 ** 63, 0x0102030405060708, 2 ** 64 - 1] * 2
COMPARES = [0x1122334455667788, 7, 0x8877665544332211, 9, 1, 8, 1, 8, 99, 98]
SWAPS = [1, 8, 2, 10, 99, 98, 100, 97, 0xf0e0d0c0b0a09080, 2 ** 64 - 1]


def fetch_add(exchange):
    """Twelve outstanding on two words, with a carry into bit 32 and a wrap at 64 bits."""
    atomics(exchange, "FETCH_ADD", [5, 2 ** 64 - 3], [dict(add=addend) for addend in ADDENDS], lambda value, add: value + add)


def cmp_swap(exchange):
    """Ten outstanding: those that match swap, the others do not change the word."""
    atomics(exchange, "CMP_SWAP", [0x1122334455667788, 7], [dict(compare=compare, swap=swap) for compare, swap in zip(COMPARES, SWAPS)],
            lambda value, compare, swap: swap if value == compare else value)


def atomics(exchange, opcode, values, operands, model):
    """Alternates atomics between two words, which lie between words that must not change; compares old and new values."""
    requester, responder = exchange.requester, exchange.responder
    untouched = random.Random(TARGET_SEED).randbytes(16)
    source = responder.agent.memory(48)
    source.write(untouched + word(values[0]) + word(values[1]) + untouched)
    returned = requester.agent.memory(8 * len(operands))
    sent = []
    for index, operand in enumerate(operands):
        sent.append((requester.send(opcode, returned.element(8 * index, 8), remote=source.address + 16 + 8 * (index % 2), rkey=source.rkey,
                                    **operand), opcode, 8, None))
        returned.wanted[8 * index:8 * index + 8] = word(values[index % 2])
        values[index % 2] = model(values[index % 2] % 2 ** 64, **operand)
    source.wanted[16:32] = word(values[0]) + word(values[1])
    requester.expect(sent)
    returned.check()
    source.check()


def scatter_gather(exchange):
    """SEND, WRITE and READ between lists of elements whose lengths match no packet boundary."""
    requester, responder = exchange.requester, exchange.responder
    source, target = exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED)
    total = 4 * exchange.mtu + 100
    piece = source.wanted[:total]
    gather = consecutive(source, [7, exchange.mtu + 3, 1, exchange.mtu - 1], total)
    received = responder.recv(*consecutive(target, [exchange.mtu * 2, 33, 5], total))
    responder.agent.collect()
    sent = requester.send("SEND", *gather)
    # WRITE goes to the range after the SEND; READ fetches the same bytes into the requester's memory.
    base = 2 * total
    where = dict(remote=target.address + base, rkey=target.rkey)
    written = requester.send("WRITE", *gather, **where)
    fetched = requester.send("READ", source.element(base, 1000), source.element(base + 1000, total - 1000), **where)
    requester.expect([(sent, "SEND", None, None), (written, "WRITE", None, None), (fetched, "READ", total, None)])
    responder.expect([(received, "RECV", total, None)])
    target.wanted[0:total] = target.wanted[base:base + total] = source.wanted[base:base + total] = piece
    target.check()
    source.check()


def consecutive(memory, lengths, total):
    """Elements of these lengths from the start of the memory, and one for the rest of the total."""
    lengths = lengths + [total - sum(lengths)]
    return [memory.element(sum(lengths[:index]), length) for index, length in enumerate(lengths)]


def mixed_outstanding(exchange):
    """Fifty WRITEs and READs outstanding in both directions at once, with fences, only every fifth step signaled."""
    posted = []
    for requester, responder in ((exchange.requester, exchange.responder), (exchange.responder, exchange.requester)):
        posted.append((requester, exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED)))
    signaled = [post_mix(exchange, *ends) for ends in posted]
    for (requester, source, target), requests in zip(posted, signaled):
        requester.expect([(request, None, None, None) for request in requests], 30)
        target.wanted[:] = source.wanted
    for _, _, target in posted:
        target.check()


def post_mix(exchange, requester, source, target):
    """Copies the whole source to the target in forty steps and reads some of it back. Returns the signaled ids."""
    step = exchange.length // 40 + 1
    signaled = []
    for index in range(40):
        offset = index * step
        element = source.element(offset, min(step, exchange.length - offset))
        flags = (["signaled"] if index % 5 == 4 else []) + (["fence"] if index % 7 == 3 else [])
        where = dict(remote=target.address + offset, rkey=target.rkey)
        if index % 4 == 2:
            # Writes it, then reads it back to where it came from.
            requester.send("WRITE", element, flags="none", **where)
        request = requester.send("READ" if index % 4 == 2 else "WRITE", element, flags=",".join(flags) or "none", **where)
        if "signaled" in flags:
            signaled.append(request)
    requester.agent.collect()
    return signaled


def keep_alive(world, log, before):
    """Rule T11: the kernel acknowledges the keep-alives of an idle connection, whatever was requested before, and executes none."""
    with world.agents(4, log) as (ours, kernel):
        # Far from PSN 0xffffff, with which the kernel acknowledges before it has executed anything.
        exchange = Exchange(ours, kernel, IB_MTU, sizes=(64,), sq_psn=0x1000, rq_psn=0x1000)
        theirs, own = exchange.memory(exchange.responder, TARGET_SEED), exchange.memory(exchange.requester, SOURCE_SEED)
        if before:
            request(exchange.requester, exchange.responder, before, own, theirs)
        before_kernel, before_ours = kernel.counters(), ours.counters()
        exchange.requester.move("RTS", keep_alive_ms=50)
        time.sleep(1)
        after_kernel, after_ours = kernel.counters(), ours.counters()
        asked, answered = (after_ours[name] - before_ours[name] for name in ("sent_keep_alives", "rcvd_keep_alives"))
        duplicates = after_kernel["duplicate_request"] - before_kernel["duplicate_request"]
        if asked < 2 or answered < asked - 1 or duplicates < answered - 2:
            raise CaseFailed("%d keep-alives sent, %d answered, %d duplicates at the kernel" % (asked, answered, duplicates))
        for endpoint in (exchange.requester, exchange.responder):
            if endpoint.state() != "RTS":
                raise CaseFailed("%s is in %s" % (endpoint.agent.peer.name, endpoint.state()))
        theirs.check()
        # The connection goes on, in both directions.
        request(exchange.requester, exchange.responder, "READ", own, theirs)
        request(exchange.responder, exchange.requester, "READ", theirs, own)


def request(requester, responder, operation, source, target):
    """One request that succeeds: of no bytes for a SEND, else of eight."""
    if operation == "SEND":
        received = responder.recv()
        responder.agent.collect()
        requester.expect([(requester.send("SEND"), None, None, None)])
        responder.expect([(received, None, None, None)])
    else:
        more = {"add": 0} if operation == "FETCH_ADD" else {}
        sent = requester.send(operation, source.element(0, 8), remote=target.address, rkey=target.rkey, **more)
        requester.expect([(sent, None, None, None)])


OPERATIONS = tuple((opcode, transfer(opcode)) for opcode in ("WRITE", "WRITE_IMM", "SEND", "SEND_IMM", "READ")) + (
    ("CMP_SWAP", cmp_swap), ("FETCH_ADD", fetch_add), ("scatter/gather", scatter_gather))


def all_operations(exchange):
    for _, body in OPERATIONS[:-1]:
        body(exchange)


def median_amplification(world, log, opcode):
    """Data frames we send for each one needed, when 5 % of them and 5 % of the responses are lost."""
    ratio, text = sorted(amplification(world, log, opcode) for _ in range(AMPLIFICATION_RUNS))[AMPLIFICATION_RUNS // 2]
    if ratio > MAX_AMPLIFICATION:
        raise CaseFailed("amplification exceeds %.1f: %s" % (MAX_AMPLIFICATION, text))
    return text


def amplification(world, log, opcode):
    with world.agents(4, log) as (ours, kernel), FrameTap(world.kernel.tap) as tap:
        exchange = Exchange(ours, kernel, IB_MTU, sizes=(MESSAGE_BYTES,) * MESSAGES, **SHORT_TIMEOUT)
        before = ours.counters(), kernel.counters()
        transfer(opcode)(exchange)
        after = ours.counters(), kernel.counters()
        frames = tap.collect()
    sent = sum(1 for frame in frames if frame.source == world.ours.address(4) and not frame.is_response)
    ratio = sent / (MESSAGES * FRAMES_PER_MESSAGE)
    return ratio, "%.2f data frames sent for each needed, median of %d; %s" % (ratio, AMPLIFICATION_RUNS, moved(before, after))


def cases():
    found = []
    for before in (None, "SEND", "READ", "FETCH_ADD"):
        found.append(Case("verbs T11: keep-alive after %s, ours to kernel" % (before or "nothing"), INTERFACE_MTU,
                          bound(keep_alive, before), agent="java"))
    for interface_mtu, ib_mtu in ((1500, 1024), (4200, 4096)):
        for family in (4, 6):
            where = "v%d mtu%d" % (family, ib_mtu)
            for direction, we_request in DIRECTIONS:
                for name, body in OPERATIONS:
                    found.append(exchange_case("verbs %s %s %s" % (name, direction, where), body, we_request, family, ib_mtu, interface_mtu))
            found.append(exchange_case("verbs mixed both ways %s" % where, mixed_outstanding, True, family, ib_mtu, interface_mtu))
    for name, fault in FAULTS:
        for direction, we_request in DIRECTIONS:
            found.append(exchange_case("netem %s: verbs %s" % (name, direction), all_operations, we_request, exact=False, fault=fault,
                                       sizes=FAULTY_SIZES))
    for opcode in ("WRITE", "SEND"):
        found.append(Case("netem loss 5%% delay 1ms: %s amplification" % opcode, INTERFACE_MTU,
                          bound(median_amplification, opcode), agent="host", fault="loss 5% delay 1ms"))
    return found
