"""Scripted verbs programs: every operation in both directions, every byte compared.

Each case is written once, for a requester and a responder, and runs with our NIC as either.
"""

import hashlib
import sys
import time

from cases import Case, CaseFailed, Recovered
from connection import connect
from pattern import pattern
from peers import recovery_since

# Odd, so that only the first buffer is aligned, and large enough to reveal a write past the end.
GAP = 61
SOURCE_SEED, TARGET_SEED = 11, 22


class Exchange:
    """The argument of a case body: two connected queue pairs, and memory with one slot per message size."""

    def __init__(self, requester_agent, responder_agent, mtu, sizes=None, **options):
        self.mtu = mtu
        self.requester, self.responder = connect(requester_agent, responder_agent, mtu, **options)
        self.sizes = sizes or (0, 1, mtu - 1, mtu, mtu + 1, 65536, 1048576)
        self.offsets = []
        offset = 0
        for size in self.sizes:
            self.offsets.append(offset)
            offset += size + GAP
        self.length = offset
        self._expected = {}

    def memory(self, endpoint, seed):
        memory = endpoint.agent.memory(self.length, seed=seed)
        self._expected[memory.name, id(endpoint)] = bytearray(pattern(seed, self.length))
        return memory

    def expect_copied(self, endpoint, memory, seed, ranges):
        """Compares every byte of `memory`: the initial content, except for the ranges, which must hold the pattern of `seed`."""
        wanted = self._expected[memory.name, id(endpoint)]
        source = pattern(seed, self.length)
        for offset, size in ranges:
            wanted[offset:offset + size] = source[offset:offset + size]
        check_memory(endpoint, memory, bytes(wanted))

    @property
    def slots(self):
        return list(zip(self.offsets, self.sizes))


def check_memory(endpoint, memory, wanted):
    if memory.hash() == hashlib.sha256(wanted).hexdigest():
        return
    # Reads the bytes only now, to report the first that differs.
    for offset in range(0, len(wanted), 65536):
        found = memory.read(offset, min(65536, len(wanted) - offset))
        for index, byte in enumerate(found):
            if byte != wanted[offset + index]:
                raise CaseFailed("memory of %s differs at byte %d: 0x%02x instead of 0x%02x"
                                 % (endpoint.agent.peer.name, offset + index, byte, wanted[offset + index]))
    raise CaseFailed("memory of %s has a wrong hash, but its bytes are correct" % endpoint.agent.peer.name)


def elements(memory, offset, size):
    return [memory.element(offset, size)] if size else []


def write(exchange):
    requester, responder = exchange.requester, exchange.responder
    source, target = exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED)
    wanted = [(requester.send("WRITE", *elements(source, offset, size), remote=target.address + offset,
                              rkey=target.rkey), "WRITE", None, None) for offset, size in exchange.slots]
    requester.expect(wanted)
    exchange.expect_copied(responder, target, SOURCE_SEED, exchange.slots)
    exchange.expect_copied(requester, source, SOURCE_SEED, [])


def write_imm(exchange):
    requester, responder = exchange.requester, exchange.responder
    source, target = exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED)
    received = [(responder.recv(), "RECV_WRITE_IMM", size, immediate(index))
                for index, size in enumerate(exchange.sizes)]
    responder.agent.collect()
    sent = [(requester.send("WRITE_IMM", *elements(source, offset, size), remote=target.address + offset,
                            rkey=target.rkey, imm=immediate(index)), "WRITE", None, None)
            for index, (offset, size) in enumerate(exchange.slots)]
    requester.expect(sent)
    responder.expect(received)
    exchange.expect_copied(responder, target, SOURCE_SEED, exchange.slots)


def send(exchange):
    send_messages(exchange, "SEND", lambda index: None)


def send_imm(exchange):
    send_messages(exchange, "SEND_IMM", immediate)


def immediate(index):
    """Four different bytes, to reveal a wrong byte order."""
    return 0x81020304 + index


def send_messages(exchange, opcode, immediate_of):
    requester, responder = exchange.requester, exchange.responder
    source, target = exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED)
    received = [(responder.recv(*elements(target, offset, size)), "RECV", size, immediate_of(index))
                for index, (offset, size) in enumerate(exchange.slots)]
    responder.agent.collect()
    sent = []
    for index, (offset, size) in enumerate(exchange.slots):
        more = {} if immediate_of(index) is None else {"imm": immediate_of(index)}
        sent.append((requester.send(opcode, *elements(source, offset, size), **more), "SEND", None, None))
    requester.expect(sent)
    responder.expect(received)
    exchange.expect_copied(responder, target, SOURCE_SEED, exchange.slots)


def read(exchange):
    requester, responder = exchange.requester, exchange.responder
    target, source = exchange.memory(requester, TARGET_SEED), exchange.memory(responder, SOURCE_SEED)
    wanted = [(requester.send("READ", *elements(target, offset, size), remote=source.address + offset,
                              rkey=source.rkey), "READ", size, None) for offset, size in exchange.slots]
    requester.expect(wanted)
    exchange.expect_copied(requester, target, SOURCE_SEED, exchange.slots)
    exchange.expect_copied(responder, source, SOURCE_SEED, [])


def word(value):
    return (value % 2 ** 64).to_bytes(8, sys.byteorder)


def fetch_add(exchange):
    """Twelve outstanding on two words, with a carry into bit 32 and a wrap at 64 bits."""
    addends = [1, 2 ** 32 - 1, 2 ** 63, 2 ** 63, 0x0102030405060708, 2 ** 64 - 1] * 2
    start = [5, 2 ** 64 - 3]

    def operate(requester, index, element, **where):
        return requester.send("FETCH_ADD", element, add=addends[index], **where)

    def model(value, index):
        return value + addends[index]

    atomics(exchange, start, len(addends), operate, model, "FETCH_ADD")


def cmp_swap(exchange):
    """Ten outstanding: those that match swap, the others do not change the word."""
    start = [0x1122334455667788, 7]
    compares = [0x1122334455667788, 7, 0x8877665544332211, 9, 1, 8, 1, 8, 99, 98]
    swaps = [1, 8, 2, 10, 99, 98, 100, 97, 0xf0e0d0c0b0a09080, 2 ** 64 - 1]

    def operate(requester, index, element, **where):
        return requester.send("CMP_SWAP", element, compare=compares[index], swap=swaps[index], **where)

    def model(value, index):
        return swaps[index] if value == compares[index] else value

    atomics(exchange, start, len(compares), operate, model, "CMP_SWAP")


def atomics(exchange, start, count, operate, model, opcode):
    """Alternates atomics between two words, which lie between words that must not change; compares old and new values."""
    requester, responder = exchange.requester, exchange.responder
    untouched = pattern(TARGET_SEED, 16)
    source = responder.agent.memory(48)
    source.write(untouched + word(start[0]) + word(start[1]) + untouched)
    returned = requester.agent.memory(8 * count)
    values, originals, sent = list(start), [], []
    for index in range(count):
        sent.append((operate(requester, index, returned.element(8 * index, 8),
                             remote=source.address + 16 + 8 * (index % 2), rkey=source.rkey), opcode, 8, None))
        originals.append(values[index % 2] % 2 ** 64)
        values[index % 2] = model(values[index % 2], index)
    requester.expect(sent)
    check_memory(requester, returned, b"".join(word(value) for value in originals))
    check_memory(responder, source, untouched + word(values[0]) + word(values[1]) + untouched)


def scatter_gather(exchange):
    """SEND, WRITE and READ between lists of elements whose lengths match no packet boundary."""
    requester, responder = exchange.requester, exchange.responder
    source, target = exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED)
    total = 4 * exchange.mtu + 100
    gather = elements_of(source, [7, exchange.mtu + 3, 1, exchange.mtu - 1])
    gather.append(source.element(total - remaining(gather, total), remaining(gather, total)))
    scatter = elements_of(target, [exchange.mtu * 2, 33, 5])
    scatter.append(target.element(total - remaining(scatter, total), remaining(scatter, total)))
    received = responder.recv(*scatter)
    responder.agent.collect()
    sent = requester.send("SEND", *gather)
    # WRITE goes to the range after the SEND; READ fetches the same bytes into the requester's memory.
    base = 2 * total
    written = requester.send("WRITE", *gather, remote=target.address + base, rkey=target.rkey)
    back = [source.element(base, 1000), source.element(base + 1000, total - 1000)]
    fetched = requester.send("READ", *back, remote=target.address + base, rkey=target.rkey)
    requester.expect([(sent, "SEND", None, None), (written, "WRITE", None, None), (fetched, "READ", total, None)])
    responder.expect([(received, "RECV", total, None)])
    piece = pattern(SOURCE_SEED, total)
    expected = bytearray(pattern(TARGET_SEED, exchange.length))
    expected[0:total] = piece
    expected[base:base + total] = piece
    check_memory(responder, target, bytes(expected))
    expected = bytearray(pattern(SOURCE_SEED, exchange.length))
    expected[base:base + total] = piece
    check_memory(requester, source, bytes(expected))


def elements_of(memory, lengths):
    """Elements of these lengths, consecutive from the start of the memory."""
    found, offset = [], 0
    for length in lengths:
        found.append(memory.element(offset, length))
        offset += length
    return found


def remaining(used, total):
    return total - sum(int(element.split(":")[2]) for element in used)


def mixed_outstanding(exchange):
    """Fifty WRITEs and READs outstanding in both directions at once, with fences, only every fifth step signaled."""
    both = [(exchange.requester, exchange.responder), (exchange.responder, exchange.requester)]
    prepared = [(requester, responder, exchange.memory(requester, SOURCE_SEED), exchange.memory(responder, TARGET_SEED))
                for requester, responder in both]
    posted = [post_mix(exchange, requester, source, target) for requester, _, source, target in prepared]
    for (requester, _, _, _), signaled in zip(prepared, posted):
        requester.expect([(request, None, None, None) for request in signaled], 30)
    for _, responder, _, target in prepared:
        check_memory(responder, target, pattern(SOURCE_SEED, exchange.length))


def post_mix(exchange, requester, source, target):
    """Copies the whole source to the target in forty steps and reads some of it back. Returns the signaled ids."""
    step = exchange.length // 40 + 1
    signaled = []
    for index in range(40):
        offset = index * step
        size = min(step, exchange.length - offset)
        flags = ["signaled"] if index % 5 == 4 else []
        if index % 7 == 3:
            flags.append("fence")
        where = dict(remote=target.address + offset, rkey=target.rkey, flags=",".join(flags) or "none")
        if index % 4 == 2:
            # Writes it, then reads it back to where it came from.
            requester.send("WRITE", source.element(offset, size), **dict(where, flags="none"))
            request = requester.send("READ", source.element(offset, size), **where)
        else:
            request = requester.send("WRITE", source.element(offset, size), **where)
        if "signaled" in flags:
            signaled.append(request)
    requester.agent.collect()
    return signaled


OPERATIONS = (("WRITE", write), ("WRITE_IMM", write_imm), ("SEND", send), ("SEND_IMM", send_imm), ("READ", read),
              ("CMP_SWAP", cmp_swap), ("FETCH_ADD", fetch_add), ("scatter/gather", scatter_gather))


def scripted(body, we_request, family, ib_mtu):
    """The action of one case: connects the agents, runs the body, checks the counters."""
    def run(world, log):
        with world.agents(family, log) as (ours, kernel):
            requester, responder = (ours, kernel) if we_request else (kernel, ours)
            before_kernel, before_ours = kernel.counters(), ours.counters()
            body(Exchange(requester, responder, ib_mtu))
            after_kernel, after_ours = kernel.counters(), ours.counters()
            recovered = ["kernel peer: " + text for text in recovery_since(before_kernel, after_kernel)]
            recovered += ["our side: " + text for text in recovery_since(before_ours, after_ours)]
            if recovered:
                raise Recovered("packets were retransmitted: " + ", ".join(recovered))
    return run


def keep_alive(before):
    """Rule T11: the kernel acknowledges the keep-alives of an idle connection, whatever was requested before, and executes none."""
    def run(world, log):
        with world.agents(4, log) as (ours, kernel):
            # Far from PSN 0xffffff, with which the kernel acknowledges before it has executed anything.
            exchange = Exchange(ours, kernel, 1024, sq_psn=0x1000, rq_psn=0x1000)
            responder_memory = exchange.memory(exchange.responder, TARGET_SEED)
            requester_memory = exchange.memory(exchange.requester, SOURCE_SEED)
            request(exchange, before, requester_memory, responder_memory)
            before_kernel, before_ours = kernel.counters(), ours.counters()
            exchange.requester.modify("RTS", keep_alive_ms=50)
            exchange.requester.agent.collect()
            time.sleep(1)
            after_kernel, after_ours = kernel.counters(), ours.counters()
            asked = after_ours["sent_keep_alives"] - before_ours["sent_keep_alives"]
            answered = after_ours["rcvd_keep_alives"] - before_ours["rcvd_keep_alives"]
            duplicates = after_kernel["duplicate_request"] - before_kernel["duplicate_request"]
            if asked < 2 or answered < asked - 1 or duplicates < answered - 2:
                raise CaseFailed("%d keep-alives sent, %d answered, %d duplicates at the kernel" % (asked, answered, duplicates))
            for endpoint in (exchange.requester, exchange.responder):
                if endpoint.state() != "RTS":
                    raise CaseFailed("%s is in %s" % (endpoint.agent.peer.name, endpoint.state()))
            check_memory(exchange.responder, responder_memory, pattern(TARGET_SEED, exchange.length))
            # The connection goes on, in both directions.
            request(exchange, "READ", requester_memory, responder_memory)
            exchange.requester, exchange.responder = exchange.responder, exchange.requester
            request(exchange, "READ", responder_memory, requester_memory)
    return run


def request(exchange, operation, source, target):
    """One request of 8 bytes that succeeds; none for None."""
    if operation is None:
        return
    where = dict(remote=target.address, rkey=target.rkey)
    if operation == "SEND":
        received = exchange.responder.recv(target.element(0, 0))
        exchange.responder.agent.collect()
        where = {}
    if operation == "FETCH_ADD":
        where["add"] = 0
    elements = [source.element(0, 8)] if operation != "SEND" else []
    sent = exchange.requester.send(operation, *elements, **where)
    exchange.requester.agent.collect()
    exchange.requester.expect([(sent, None, None, None)])
    if operation == "SEND":
        exchange.responder.expect([(received, None, None, None)])


def cases():
    found = []
    for before in (None, "SEND", "READ", "FETCH_ADD"):
        found.append(Case("verbs T11: keep-alive after %s, ours to kernel" % (before or "nothing"), 1500, keep_alive(before),
                          uses_agents=True))
    for interface_mtu, ib_mtu in ((1500, 1024), (4200, 4096)):
        for family in (4, 6):
            for direction, we_request in (("ours to kernel", True), ("kernel to ours", False)):
                for name, body in OPERATIONS:
                    found.append(Case("verbs %s %s v%d mtu%d" % (name, direction, family, ib_mtu), interface_mtu,
                                      scripted(body, we_request, family, ib_mtu), uses_agents=True))
            found.append(Case("verbs mixed both ways v%d mtu%d" % (family, ib_mtu), interface_mtu,
                              scripted(mixed_outstanding, True, family, ib_mtu), uses_agents=True))
    return found
