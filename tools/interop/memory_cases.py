"""Memory windows, invalidation, fast registration and changes of size: rules W1 to W10, in both roles.

The responder owns the memory and its keys, and the requester uses them. A case that ends with a refused access leaves both
queue pairs in ERROR.
"""

from cases import CaseFailed
from exchange import DIRECTIONS, exchange_case
from faults import DUPLICATE, HEAVY_LOSS, REORDER
from verbs_cases import mixed_outstanding
from verbs_client import connect

LENGTH = 20000
SOURCE_SEED, TARGET_SEED = 33, 44
OWNER_ACCESS = "local_write,mw_bind"
READ_WRITE = "remote_read,remote_write"
# The part of the memory that windows show.
OFFSET, SIZE = 4096, 8000


class Owner:
    """A responder with memory that only windows and registrations open, and a requester with a source."""

    def __init__(self, exchange):
        self.requester, self.responder = exchange.requester, exchange.responder
        self.source = self.requester.agent.memory(LENGTH, seed=SOURCE_SEED)
        self.target = self.responder.agent.memory(LENGTH, access=OWNER_ACCESS, seed=TARGET_SEED)

    def window(self, kind):
        name = self.responder.agent.name("mw")
        self.responder.agent.execute("mw", name=name, type=kind)
        return name

    def bind(self, window, offset=OFFSET, length=SIZE, access=READ_WRITE, memory=None, status="SUCCESS"):
        """Binds and waits for the completion. Returns the new key."""
        request = self.responder.take_id()
        reply = self.responder.agent.execute("bind", name=self.responder.qp, wr_id=request, mw=window, offset=offset, length=length,
                                             mr=(memory or self.target).name, access=access)
        self.completes(request, status, "BIND_MW")
        return int(reply["rkey"], 0)

    def completes(self, request, status, opcode):
        completion = self.responder.poll(1)[0]
        found = (completion.id, completion.status, completion.opcode if completion.status == "SUCCESS" else opcode)
        if found != (request, status, opcode):
            raise CaseFailed("%s: %s instead of request %d, %s, %s"
                             % (self.responder.agent.peer.name, completion, request, status, opcode))

    def invalidate(self, key, status="SUCCESS"):
        self.completes(self.responder.send("LOCAL_INV", inv_rkey=key), status, "LOCAL_INV")

    def write(self, address, key, offset, size=SIZE):
        """Writes the source's start to an address that stands for an offset of the target."""
        self.requester.expect([(self.requester.send("WRITE", self.source.element(0, size), remote=address, rkey=key), "WRITE", None, None)])
        self.target.wanted[offset:offset + size] = self.source.wanted[:size]

    def read(self, address, key, offset, size=SIZE):
        copy = self.requester.agent.memory(size, seed=1)
        self.requester.expect([(self.requester.send("READ", copy.element(), remote=address, rkey=key), "READ", size, None)])
        copy.wanted[:] = self.target.wanted[offset:offset + size]
        copy.check()

    def use(self, key, address=None, offset=OFFSET):
        address = self.target.address + offset if address is None else address
        self.write(address, key, offset)
        self.read(address, key, offset)

    def refuses(self, key, opcode="WRITE", address=None, size=64, requester=None):
        requester = requester or self.requester
        address = self.target.address + OFFSET if address is None else address
        source = requester.agent.memory(size, seed=5)
        requester.send(opcode, source.element(), remote=address, rkey=key)
        completion = requester.poll(1)[0]
        if completion.status != "REM_ACCESS_ERR":
            raise CaseFailed("an access that must be refused ended with %s" % completion)


def type_1(owner):
    window = owner.window(1)
    first = owner.bind(window)
    owner.use(first)
    second = owner.bind(window, offset=12000)
    owner.use(second, offset=12000)
    owner.refuses(first)


def type_1_unbound(owner):
    window = owner.window(1)
    key = owner.bind(window)
    owner.use(key)
    owner.bind(window, offset=0, length=0)
    owner.refuses(key)


def type_2(owner):
    key = owner.bind(owner.window(2))
    owner.use(key)
    owner.invalidate(key)
    owner.refuses(key, "READ")


def type_2_invalidated_by_peer(owner):
    key = owner.bind(owner.window(2))
    owner.use(key)
    inbox = owner.responder.agent.memory(1000, seed=7)
    received = owner.responder.recv(inbox.element())
    owner.responder.agent.collect()
    sent = owner.requester.send("SEND_INV", owner.source.element(0, 1000), inv_rkey=key)
    owner.requester.expect([(sent, "SEND", None, None)])
    owner.responder.expect([(received, "RECV", 1000, None)])
    inbox.wanted[:] = owner.source.wanted[:1000]
    inbox.check()
    owner.refuses(key)


def zero_based(owner):
    key = owner.bind(owner.window(2), access=READ_WRITE + ",zero_based")
    owner.use(key, address=0)


def deallocated(owner):
    window = owner.window(2)
    key = owner.bind(window)
    owner.use(key)
    owner.responder.agent.execute("destroy", name=window)
    owner.refuses(key)


def rights(owner):
    key = owner.bind(owner.window(2), access="remote_read")
    owner.read(owner.target.address + OFFSET, key, OFFSET)
    owner.refuses(key, "WRITE")


def key_bits(owner):
    key = owner.bind(owner.window(2))
    owner.use(key)
    owner.refuses(key ^ 0x40)


def other_queue_pair(owner):
    key = owner.bind(owner.window(2))
    other, _ = connect(owner.requester.agent, owner.responder.agent, 1024)
    owner.refuses(key, requester=other)
    owner.use(key)


def outside(owner):
    """Kernel 6.1 compares with the range of the region instead."""
    key = owner.bind(owner.window(2))
    owner.use(key)
    owner.refuses(key, address=owner.target.address + OFFSET + SIZE - 63)


def without_mw_bind(owner):
    owner.bind(owner.window(2), memory=owner.responder.agent.memory(LENGTH, seed=1), status="MW_BIND_ERR")


def beyond_region(owner):
    owner.bind(owner.window(2), length=LENGTH - OFFSET + 1, status="MW_BIND_ERR")


def read_only_region(owner):
    owner.bind(owner.window(2), memory=owner.responder.agent.memory(LENGTH, access="mw_bind"), access=READ_WRITE, status="MW_BIND_ERR")


def invalidation_of_type_1(owner):
    key = owner.bind(owner.window(1))
    owner.invalidate(key, "LOC_QP_OP_ERR")


def fast_registration(owner):
    """Only the kernel's own code can post REG_MR there, so the owner is ours."""
    agent = owner.responder.agent
    region = agent.name("region")
    agent.execute("region", name=region)
    for offset in (OFFSET, 12000):
        request = owner.responder.take_id()
        values = agent.execute("register", name=owner.responder.qp, wr_id=request, region=region, mr=owner.target.name,
                               offset=offset, length=SIZE, access="local_write," + READ_WRITE)
        owner.completes(request, "SUCCESS", "REG_MR")
        key = int(values["rkey"], 0)
        owner.use(key, address=int(values["addr"], 0), offset=offset)
        if offset == OFFSET:
            owner.invalidate(key)
    received = owner.responder.recv()
    agent.collect()
    sent = owner.requester.send("SEND_INV", inv_rkey=key)
    owner.requester.expect([(sent, "SEND", None, None)])
    owner.responder.expect([(received, "RECV", 0, None)])
    owner.refuses(key, address=int(values["addr"], 0))


def reregistered(owner):
    """Kernel 6.1 has no ibv_rereg_mr, so the owner is ours."""
    memory = owner.responder.agent.memory(LENGTH, seed=TARGET_SEED)
    owner.target = memory
    owner.use(memory.rkey)
    owner.responder.agent.execute("rereg", name=memory.name, access="local_write,remote_read")
    owner.read(memory.address + OFFSET, memory.rkey, OFFSET)
    owner.refuses(memory.rkey)


def resized(exchange):
    """The completion queues of both sides change their size between and under many requests."""
    for endpoint, depth in ((exchange.requester, 400), (exchange.responder, 300)):
        endpoint.agent.execute("resize", name=endpoint.cq, depth=depth)
    mixed_outstanding(exchange)
    for endpoint in (exchange.requester, exchange.responder):
        endpoint.agent.execute("resize", name=endpoint.cq, depth=200)


WINDOWS = (("type 1, bound twice", type_1, "W2 W3"), ("type 1, bound to nothing", type_1_unbound, "W3"),
           ("type 2, LOCAL_INV", type_2, "W2 W4"), ("type 2, SEND_INV", type_2_invalidated_by_peer, "W5"),
           ("zero-based", zero_based, "W2"), ("deallocated while bound", deallocated, "W8"), ("without REMOTE_WRITE", rights, "W2"),
           ("key with other low bits", key_bits, "W7"), ("type 2 on another queue pair", other_queue_pair, "W2"),
           ("of a region without MW_BIND", without_mw_bind, "W1"), ("beyond its region", beyond_region, "W1"),
           ("for writes to a region without LOCAL_WRITE", read_only_region, "W1"),
           ("type 1, LOCAL_INV", invalidation_of_type_1, "W4"))
OURS_ONLY = (("window, access outside", outside, "W2"), ("REG_MR, LOCAL_INV, SEND_INV", fast_registration, "W5 W6"),
             ("re-registration", reregistered, "W9"))
FAULTY = (type_1, type_2, type_2_invalidated_by_peer)


def owned(body):
    """The body of a case over an exchange, with a check of the owner's memory."""
    def run(exchange):
        owner = Owner(exchange)
        body(owner)
        owner.target.check()
    return run


def cases():
    found = []
    for direction, we_request in DIRECTIONS:
        for name, body, rules in WINDOWS:
            found.append(exchange_case("memory %s: window %s, %s" % (rules, name, direction), owned(body), we_request))
        for fault_name, fault in (HEAVY_LOSS, DUPLICATE, REORDER):
            for body in FAULTY:
                found.append(exchange_case("netem %s: memory %s, %s" % (fault_name, body.__name__, direction), owned(body), we_request,
                                           exact=False, fault=fault))
    for name, body, rules in OURS_ONLY:
        found.append(exchange_case("memory %s: %s, kernel to ours" % (rules, name), owned(body), False,
                                   agent="java" if body is fast_registration else "host"))
    found.append(exchange_case("memory W10: completion queues resized, both ways", resized, True))
    return found
