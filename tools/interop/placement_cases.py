"""ATOMIC_WRITE and FLUSH against kernel 6.12, and a few cases of the others: rules Q16, R20, R21, in both roles."""

import program_cases
import verbs_cases
from cases import Case, CaseFailed, Recovered
from connection import ALL_ACCESS
from faults import netem
from kernel_safety import check_harmless
from netem_cases import SHORT_TIMEOUT, counters, moved
from pattern import pattern
from peers import recovery_since
from verbs_cases import Exchange, check_memory
from wire import FrameTap, describe

IB_MTU, INTERFACE_MTU = 1024, 1500
SOURCE_SEED, TARGET_SEED = 55, 66
GLOBAL, PERSISTENT = 1, 2
RANGE, REGION = 0, 1
FLUSH_ACCESS = ",flush_global"
RECORD, RECORDS = 3000, 12

FAULTS = (("loss 5%", netem("loss 5%")), ("duplicate 10%", netem("duplicate 10%")), ("reorder 25%", netem("delay 2ms reorder 25% 50%")))
EXTENDED = "ATOMIC_WRITE,FLUSH"


class Publisher:
    """A requester that publishes what it has written, and a responder with the memory for it."""

    def __init__(self, exchange, access=ALL_ACCESS + FLUSH_ACCESS, length=RECORD * RECORDS + 64):
        self.requester, self.responder = exchange.requester, exchange.responder
        self.source = self.requester.agent.memory(length, seed=SOURCE_SEED)
        self.target = self.responder.agent.memory(length, access=access, seed=TARGET_SEED)
        self.wanted = bytearray(pattern(TARGET_SEED, length))
        self.bytes = pattern(SOURCE_SEED, length)
        self.expected = []

    def post(self, opcode, kind, *elements, offset=0, **values):
        request = self.requester.send(opcode, *elements, remote=self.target.address + offset, rkey=self.target.rkey, **values)
        self.expected.append((request, kind, None, None))

    def write(self, offset, size):
        self.post("WRITE", "WRITE", self.source.element(offset, size), offset=offset)
        self.wanted[offset:offset + size] = self.bytes[offset:offset + size]

    def atomic_write(self, offset, source_offset):
        self.post("ATOMIC_WRITE", "ATOMIC_WRITE", self.source.element(source_offset, 8), offset=offset)
        self.wanted[offset:offset + 8] = self.bytes[source_offset:source_offset + 8]

    def flush(self, offset, size, kind=GLOBAL, level=RANGE):
        self.post("FLUSH", "FLUSH", offset=offset, length=size, type=kind, level=level)

    def finish(self):
        self.requester.expect(self.expected)
        self.expected = []
        check_memory(self.responder, self.target, bytes(self.wanted))

    def ends(self, status):
        completion = self.requester.poll(1)[0]
        if completion.status != status:
            raise CaseFailed("a request that must end with %s ended with %s" % (status, completion))


def atomic_writes(exchange):
    """Sixteen outstanding on two words, between bytes that must not change."""
    publisher = Publisher(exchange)
    for index in range(16):
        publisher.atomic_write(64 + 8 * (index % 2), 8 * index)
    publisher.finish()


def flushes(exchange):
    """Ranges and the whole region, of no byte and of many, behind WRITEs."""
    publisher = Publisher(exchange)
    for offset, size, level in ((0, 1, RANGE), (4096, 8000, RANGE), (0, 0, REGION), (100, 0, RANGE)):
        publisher.write(offset, size)
        publisher.flush(offset, size, level=level)
    publisher.finish()


def publish(exchange, kind=GLOBAL, access=ALL_ACCESS + FLUSH_ACCESS):
    """Each record: its bytes, a FLUSH, then at once its number behind all records."""
    publisher = Publisher(exchange, access)
    for index in range(RECORDS):
        publisher.write(index * RECORD, RECORD)
        publisher.flush(index * RECORD, RECORD, kind)
        publisher.atomic_write(RECORD * RECORDS, 8 * index)
        if index % 4 == 3:
            publisher.finish()


def publish_persistent(exchange):
    """Kernel 6.12 registers persistent memory only, which a guest has not; so the memory is ours: a mapped file."""
    publish(exchange, GLOBAL | PERSISTENT, ALL_ACCESS + FLUSH_ACCESS + ",flush_persistent")


def misaligned(exchange):
    publisher = Publisher(exchange)
    publisher.atomic_write(4, 0)
    publisher.ends("REM_INV_REQ_ERR")


def flush_without_right(exchange):
    publisher = Publisher(exchange, access=ALL_ACCESS)
    publisher.flush(0, 64)
    publisher.ends("REM_ACCESS_ERR")


def flush_for_other_right(exchange):
    publisher = Publisher(exchange)
    publisher.flush(0, 64, PERSISTENT)
    publisher.ends("REM_ACCESS_ERR")


def flush_outside(exchange):
    publisher = Publisher(exchange)
    publisher.flush(RECORD * RECORDS, 65)
    publisher.ends("REM_ACCESS_ERR")


def atomic_write_without_right(exchange):
    publisher = Publisher(exchange, access="local_write,remote_read")
    publisher.atomic_write(0, 0)
    publisher.ends("REM_ACCESS_ERR")


def checked(body, we_request, exact=True):
    """The action of one case; `exact` allows no retransmission."""
    def run(world, log):
        with world.agents(4, log) as (ours, kernel), FrameTap(world.kernel.tap) as tap:
            requester, responder = (ours, kernel) if we_request else (kernel, ours)
            before = counters(ours, kernel)
            attributes = {} if exact else SHORT_TIMEOUT
            exchange = Exchange(requester, responder, IB_MTU, caps={"extended": EXTENDED},
                                access=ALL_ACCESS + ",flush_global,flush_persistent", **attributes)
            try:
                body(exchange)
                check_harmless(tap.collect(), world.kernel.address(4))
            finally:
                log.add("frames on the wire", describe(tap.collect(), world.ours.address(4)))
            after = counters(ours, kernel)
            recovered = [text for old, new in zip(before, after) for text in recovery_since(old, new)]
            if exact and recovered:
                raise Recovered("packets were retransmitted: " + ", ".join(recovered))
            return None if exact else moved(before, after)
    return run


BODIES = (("R20: ATOMIC_WRITE", atomic_writes), ("R21: FLUSH", flushes), ("R20 R21: WRITE, FLUSH, ATOMIC_WRITE", publish),
          ("R20: ATOMIC_WRITE without REMOTE_WRITE", atomic_write_without_right),
          ("R21: FLUSH without FLUSH_GLOBAL", flush_without_right), ("R21: FLUSH without FLUSH_PERSISTENT", flush_for_other_right),
          ("R21: FLUSH outside", flush_outside))
# What the other cases cover at length is tried once more: both kernels share most of it.
SMOKE_SIZE = 65536


def cases():
    found = []

    def add(name, action, **more):
        found.append(Case(name + ", 6.12", INTERFACE_MTU, action, needs_newer=True, **more))

    for direction, we_request in (("ours to kernel", True), ("kernel to ours", False)):
        for name, body in BODIES:
            # Our first FLUSH of a connection finds out which ICRC the kernel expects: it is sent twice.
            exact = not (we_request and "FLUSH" in name)
            add("placement %s, %s" % (name, direction), checked(body, we_request, exact), uses_agents=True)
        for fault_name, fault in FAULTS:
            # The kernel retransmits both with address 0, which a responder that missed the first one has to refuse.
            if we_request or "duplicate" in fault_name:
                add("netem %s: placement publish, %s" % (fault_name, direction), checked(publish, we_request, exact=False),
                    uses_agents=True, fault=fault)
        for name, body in (("mixed", verbs_cases.mixed_outstanding), ("FETCH_ADD", verbs_cases.fetch_add)):
            add("verbs %s %s v4 mtu1024" % (name, direction), verbs_cases.scripted(body, we_request, 4, IB_MTU), uses_agents=True)
    # Ours refuses it when it is posted.
    add("placement R20: ATOMIC_WRITE, misaligned, kernel to ours", checked(misaligned, False), uses_agents=True)
    add("placement R21: FLUSH to persistence, kernel to ours", checked(publish_persistent, False), uses_agents=True)
    for role in ("server", "client"):
        add("rc_pingpong %s v4 mtu1024 size %d" % (role, SMOKE_SIZE),
            program_cases.pingpong("rc_pingpong", role, 4, IB_MTU, SMOKE_SIZE, 5))
    return found
