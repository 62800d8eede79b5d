"""ATOMIC_WRITE and FLUSH against newer kernels, and a few cases of the others: rules Q16, R20, R21, in both roles."""

import functools

import program_cases
import verbs_cases
from cases import Case, CaseFailed, bound
from faults import DUPLICATE, HEAVY_LOSS, REORDER
from peers import NEWER, NEWEST
from verbs_client import ALL_ACCESS, DIRECTIONS, IB_MTU, INTERFACE_MTU, exchange_case

SOURCE_SEED, TARGET_SEED = 55, 66
GLOBAL, PERSISTENT = 1, 2
RANGE, REGION = 0, 1
FLUSH_ACCESS, PERSISTENT_ACCESS, ON_DEMAND = ",flush_global", ",flush_persistent", ",on_demand"
RECORD, RECORDS = 3000, 12
EXTENDED = "ATOMIC_WRITE,FLUSH"


class Publisher:
    """A requester that publishes what it has written, and a responder with the memory for it."""

    def __init__(self, exchange, access=ALL_ACCESS + FLUSH_ACCESS, length=RECORD * RECORDS + 64):
        self.requester, self.responder = exchange.requester, exchange.responder
        self.source = self.requester.agent.memory(length, seed=SOURCE_SEED)
        self.target = self.responder.agent.memory(length, access=access, seed=TARGET_SEED)
        self.expected = []

    def post(self, opcode, kind, *elements, offset=0, **values):
        request = self.requester.send(opcode, *elements, remote=self.target.address + offset, rkey=self.target.rkey, **values)
        self.expected.append((request, kind, None, None))

    def write(self, offset, size):
        self.post("WRITE", "WRITE", self.source.element(offset, size), offset=offset)
        self.target.wanted[offset:offset + size] = self.source.wanted[offset:offset + size]

    def atomic_write(self, offset, source_offset):
        self.post("ATOMIC_WRITE", "ATOMIC_WRITE", self.source.element(source_offset, 8), offset=offset)
        self.target.wanted[offset:offset + 8] = self.source.wanted[source_offset:source_offset + 8]

    def flush(self, offset, size, kind=GLOBAL, level=RANGE):
        self.post("FLUSH", "FLUSH", offset=offset, length=size, type=kind, level=level)

    def finish(self):
        self.requester.expect(self.expected)
        self.expected = []
        self.target.check()


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


def publish(exchange, kind=GLOBAL, access=ALL_ACCESS + FLUSH_ACCESS, size=RECORD, step=RECORD):
    """Each record: its bytes, a FLUSH, then at once its number behind all records."""
    publisher = Publisher(exchange, access, step * RECORDS + 64)
    for index in range(RECORDS):
        publisher.write(index * step, size)
        publisher.flush(index * step, size, kind)
        publisher.atomic_write(step * RECORDS, 8 * index)
        if index % 4 == 3:
            publisher.finish()


def refused(status, operation, *arguments, access=ALL_ACCESS + FLUSH_ACCESS):
    """A body: one request, to memory with these rights, that must end with a status."""
    def run(exchange):
        publisher = Publisher(exchange, access)
        operation(publisher, *arguments)
        completion = publisher.requester.poll(1)[0]
        if completion.status != status:
            raise CaseFailed("a request that must end with %s ended with %s" % (status, completion))
    return run


FOR_OTHER_RIGHT = "R21: FLUSH without FLUSH_PERSISTENT"
BODIES = (
    ("R20: ATOMIC_WRITE", atomic_writes), ("R21: FLUSH", flushes), ("R20 R21: WRITE, FLUSH, ATOMIC_WRITE", publish),
    ("R20: ATOMIC_WRITE without REMOTE_WRITE", refused("REM_ACCESS_ERR", Publisher.atomic_write, 0, 0, access="local_write,remote_read")),
    ("R21: FLUSH without FLUSH_GLOBAL", refused("REM_ACCESS_ERR", Publisher.flush, 0, 64, access=ALL_ACCESS)),
    (FOR_OTHER_RIGHT, refused("REM_ACCESS_ERR", Publisher.flush, 0, 64, PERSISTENT)),
    ("R21: FLUSH outside", refused("REM_ACCESS_ERR", Publisher.flush, RECORD * RECORDS, 65)))
# What the other cases cover at length is tried once more: both kernels share most of it.
SMOKE_SIZE = 65536


def cases():
    found = []

    def add(name, body, we_request, **more):
        found.append(exchange_case(name, body, we_request, **dict(
            dict(peer=NEWER, extended=EXTENDED, access=ALL_ACCESS + FLUSH_ACCESS, agent="newer"), **more)))
    for direction, we_request in DIRECTIONS:
        for name, body in BODIES:
            # Our first FLUSH of a connection finds out which ICRC the kernel expects: it is sent twice.
            exact = not (we_request and "FLUSH" in name)
            is_ours = name == FOR_OTHER_RIGHT and not we_request
            add("placement %s, %s, newer kernel" % (name, direction), body, we_request, exact=exact, agent="java" if is_ours else "newer",
                access=ALL_ACCESS + FLUSH_ACCESS + (PERSISTENT_ACCESS if name == FOR_OTHER_RIGHT else ""))
        for fault_name, fault in (HEAVY_LOSS, DUPLICATE, REORDER):
            # The kernel retransmits both with address 0, which a responder that missed the first one has to refuse.
            if we_request or fault_name == DUPLICATE[0]:
                add("netem %s: placement publish, %s, newer kernel" % (fault_name, direction), publish, we_request, exact=False, fault=fault)
        for name, body in (("mixed", verbs_cases.mixed_outstanding), ("FETCH_ADD", verbs_cases.fetch_add)):
            add("verbs %s %s v4 mtu1024, newer kernel" % (name, direction), body, we_request, extended=None, access=ALL_ACCESS)
        # Kernels 6.18 and 7.3 ignore the offset within a page of memory on demand.
        add("placement R20 R21: WRITE, FLUSH, ATOMIC_WRITE on demand, %s, newest kernel" % direction,
            functools.partial(publish, access=ALL_ACCESS + FLUSH_ACCESS + ON_DEMAND, **({"size": IB_MTU, "step": 4096} if we_request else {})),
            we_request, exact=not we_request, peer=NEWEST)
    # Ours refuses it when it is posted.
    add("placement R20: ATOMIC_WRITE, misaligned, kernel to ours, newer kernel", refused("REM_INV_REQ_ERR", Publisher.atomic_write, 4, 0), False)
    # Kernel 6.12 registers persistent memory only, which a guest has not, and libibverbs has none. Ours has: a mapped file.
    access = ALL_ACCESS + FLUSH_ACCESS + PERSISTENT_ACCESS
    add("placement R21: FLUSH to persistence, kernel to ours, newer kernel",
        functools.partial(publish, kind=GLOBAL | PERSISTENT, access=access), False, agent="java", access=access)
    for role in ("server", "client"):
        found.append(Case("rc_pingpong %s v4 mtu1024 size %d, newer kernel" % (role, SMOKE_SIZE), INTERFACE_MTU, bound(
            program_cases.pingpong, program_cases.Where(role, 4, IB_MTU), "rc_pingpong", SMOKE_SIZE, 5), peer=NEWER))
    return found
