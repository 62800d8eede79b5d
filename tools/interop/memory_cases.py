"""Memory windows, invalidation, fast registration and changes of size: rules W1 to W10, in both roles.

The responder owns the memory and its keys, and the requester uses them. A case that ends with a refused access leaves both
queue pairs in ERROR.
"""

from cases import CaseFailed
from faults import DUPLICATE, HEAVY_LOSS, REORDER
from verbs_cases import mixed_outstanding
from verbs_client import ALL_ACCESS, DIRECTIONS, connect, exchange_case

LENGTH = 20000
SOURCE_SEED, TARGET_SEED = 33, 44
OWNER_ACCESS = "local_write,mw_bind"
READ_WRITE = "remote_read,remote_write"
# The part of the memory that windows show.
OFFSET, SIZE = 4096, 8000
REFUSED = ("REM_ACCESS_ERR",)
# A responder in ERROR is silent: when its one NAK is lost, the requester uses up its retries. Those of a kernel never end with 7.
REFUSED_OR_LOST, FINITE = REFUSED + ("RETRY_EXC_ERR",), 6


class Owner:
    """A responder with memory that only windows and registrations open, and a requester with a source."""

    def __init__(self, exchange, refusals):
        self.refusals = refusals
        self.requester, self.responder = exchange.requester, exchange.responder
        self.source = self.requester.agent.memory(LENGTH, seed=SOURCE_SEED)
        self.target = self.responder.agent.memory(LENGTH, access=OWNER_ACCESS, seed=TARGET_SEED)
        self.window = None
        self.keys = []

    def run(self, steps):
        """The steps of a row of WINDOWS; a number, a word with "=" and other words are arguments of the method of that name."""
        for step in steps.split("; "):
            word, *rest = step.split()
            named = dict(item.split("=") for item in rest if "=" in item)
            getattr(self, word)(*[number(item) for item in rest if "=" not in item], **{name: number(text) for name, text in named.items()})

    def allocate(self, kind):
        self.window = self.responder.agent.name("mw")
        self.responder.agent.execute("mw", name=self.window, type=kind)

    def deallocate(self):
        self.responder.agent.execute("destroy", name=self.window)

    def bind(self, at=OFFSET, length=SIZE, access=READ_WRITE, region=None, ends="SUCCESS"):
        """Binds the window to the target, or to another region with these access rights, and waits for the completion."""
        memory = self.responder.agent.memory(LENGTH, access=region) if region else self.target
        request = self.responder.take_id()
        reply = self.responder.agent.execute("bind", name=self.responder.qp, wr_id=request, mw=self.window, offset=at, length=length,
                                             mr=memory.name, access=access)
        self.completes(request, ends, "BIND_MW")
        self.keys.append(int(reply["rkey"], 0))

    def completes(self, request, status, opcode):
        completion = self.responder.poll(1)[0]
        status = "WR_FLUSH_ERR" if self.responder.agent.peer.is_newest and status != "SUCCESS" else status
        if completion[:3] != (request, status, opcode if status == "SUCCESS" else "-"):
            raise CaseFailed("%s instead of request %d, %s, %s" % (completion, request, status, opcode))

    def invalidate(self, ends="SUCCESS"):
        self.completes(self.responder.send("LOCAL_INV", inv_rkey=self.keys[-1]), ends, "LOCAL_INV")

    def send_inv(self, size=0):
        inbox = self.responder.agent.memory(1000, seed=7)
        received = self.responder.recv(*inbox.elements(0, size))
        self.responder.agent.collect()
        sent = self.requester.send("SEND_INV", *self.source.elements(0, size), inv_rkey=self.keys[-1])
        self.requester.expect([(sent, "SEND", None, None)])
        self.responder.expect([(received, "RECV", size, None)])
        inbox.wanted[:size] = self.source.wanted[:size]
        inbox.check()

    def read(self, address=None, offset=OFFSET):
        copy = self.requester.agent.memory(SIZE, seed=1)
        address = self.target.address + offset if address is None else address
        self.requester.expect([(self.requester.send("READ", copy.element(), remote=address, rkey=self.keys[-1]), "READ", SIZE, None)])
        copy.wanted[:] = self.target.wanted[offset:offset + SIZE]
        copy.check()

    def use(self, offset=OFFSET, address=None):
        address = self.target.address + offset if address is None else address
        sent = self.requester.send("WRITE", self.source.element(0, SIZE), remote=address, rkey=self.keys[-1])
        self.requester.expect([(sent, "WRITE", None, None)])
        self.target.wanted[offset:offset + SIZE] = self.source.wanted[:SIZE]
        self.read(address, offset)

    def refuses(self, opcode="WRITE", key=-1, bits=0, offset=OFFSET, address=None, by=None):
        """An access that must fail, with a key or one that differs in some bits, `by` another queue pair too."""
        requester = connect(self.requester.agent, self.responder.agent, 1024)[0] if by else self.requester
        source = requester.agent.memory(64, seed=5)
        requester.send(opcode, source.element(), remote=self.target.address + offset if address is None else address,
                       rkey=self.keys[key] ^ bits)
        completion = requester.poll(1)[0]
        if completion.status not in self.refusals:
            raise CaseFailed("an access that must be refused ended with %s" % (completion,))


def number(text):
    return int(text) if text.lstrip("-").isdecimal() else text


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
        owner.keys.append(int(values["rkey"], 0))
        owner.use(offset, int(values["addr"], 0))
        if offset == OFFSET:
            owner.invalidate()
    owner.send_inv()
    owner.refuses(address=int(values["addr"], 0))


def reregistered(owner):
    """Kernel 6.1 has no ibv_rereg_mr, so the owner is ours."""
    memory = owner.responder.agent.memory(LENGTH, seed=TARGET_SEED)
    owner.target = memory
    owner.keys.append(memory.rkey)
    owner.use()
    owner.responder.agent.execute("rereg", name=memory.name, access="local_write,remote_read")
    owner.read()
    owner.refuses()


def resized(exchange):
    for endpoint, depth in ((exchange.requester, 400), (exchange.responder, 300)):
        endpoint.agent.execute("resize", name=endpoint.cq, depth=depth)
    mixed_outstanding(exchange)
    for endpoint in (exchange.requester, exchange.responder):
        endpoint.agent.execute("resize", name=endpoint.cq, depth=200)


# Rules, name and steps.
TYPE_1 = "allocate 1; bind; use; bind at=12000; use 12000; refuses key=0"
TYPE_2 = "allocate 2; bind; use; invalidate; refuses READ"
INVALIDATED_BY_PEER = "allocate 2; bind; use; send_inv 1000; refuses"
WINDOWS = (
    ("W2 W3", "type 1, bound twice", TYPE_1),
    ("W3", "type 1, bound to nothing", "allocate 1; bind; use; bind at=0 length=0; refuses key=0"),
    ("W2 W4", "type 2, LOCAL_INV", TYPE_2),
    ("W5", "type 2, SEND_INV", INVALIDATED_BY_PEER),
    ("W2", "zero-based", "allocate 2; bind access=remote_read,remote_write,zero_based; use address=0"),
    ("W8", "deallocated while bound", "allocate 2; bind; use; deallocate; refuses"),
    ("W2", "without REMOTE_WRITE", "allocate 2; bind access=remote_read; read; refuses"),
    ("W7", "key with other low bits", "allocate 2; bind; use; refuses bits=64"),
    ("W2", "type 2 on another queue pair", "allocate 2; bind; refuses by=another; use"),
    ("W1", "of a region without MW_BIND", "allocate 2; bind region=%s ends=MW_BIND_ERR" % ALL_ACCESS),
    ("W1", "beyond its region", "allocate 2; bind length=%d ends=MW_BIND_ERR" % (LENGTH - OFFSET + 1)),
    ("W1", "for writes to a region without LOCAL_WRITE", "allocate 2; bind region=mw_bind ends=MW_BIND_ERR"),
    ("W4", "type 1, LOCAL_INV", "allocate 1; bind; invalidate LOC_QP_OP_ERR"))
# The name that a case over a faulty link has.
FAULTY = (("type_1", TYPE_1), ("type_2", TYPE_2), ("type_2_invalidated_by_peer", INVALIDATED_BY_PEER))
# Kernel 6.1 compares with the range of the region instead.
OUTSIDE = "allocate 2; bind; use; refuses offset=%d" % (OFFSET + SIZE - 63)
OURS_ONLY = (("W2", "window, access outside", OUTSIDE), ("W5 W6", "REG_MR, LOCAL_INV, SEND_INV", fast_registration),
             ("W9", "re-registration", reregistered))


def owned(body, refusals=REFUSED):
    """The body of a case over an exchange, from steps or a function, with a check of the owner's memory."""
    def run(exchange):
        owner = Owner(exchange, refusals)
        body(owner) if callable(body) else owner.run(body)
        owner.target.check()
    return run


def cases():
    found = []
    for direction, we_request in DIRECTIONS:
        for rules, name, body in WINDOWS:
            found.append(exchange_case("memory %s: window %s, %s" % (rules, name, direction), owned(body), we_request))
        for fault_name, fault in (HEAVY_LOSS, DUPLICATE, REORDER):
            refusals = REFUSED_OR_LOST if fault_name == HEAVY_LOSS[0] else REFUSED
            for name, body in FAULTY:
                found.append(exchange_case("netem %s: memory %s, %s" % (fault_name, name, direction), owned(body, refusals), we_request,
                                           exact=False, fault=fault, retry_cnt=FINITE))
    for rules, name, body in OURS_ONLY:
        found.append(exchange_case("memory %s: %s, kernel to ours" % (rules, name), owned(body), False,
                                   agent="java" if body is fast_registration else "host"))
    found.append(exchange_case("memory W10: completion queues resized, both ways", resized, True))
    return found
