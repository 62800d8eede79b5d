"""One row of the error matrix: one connection, one error, and every effect of it that can be observed.

A row states how each request completes on either side, which NAKs are sent, which asynchronous events are raised and
the final state of both queue pairs. Where rdma_rxe deviates from the specification, the row states both behaviours.
"""

import time
from dataclasses import dataclass, field
from typing import Any, Callable

from cases import Case, CaseFailed, Recovered
from verbs_client import ALL_ACCESS, LONG_TIMEOUT, ConnectedQueuePair
from wire import FrameTap, describe

IB_MTU = 1024
INTERFACE_MTU = 1500
LENGTH = 16384
SOURCE_SEED, TARGET_SEED = 11, 22

# AETH syndromes, by their names in the specification.
SEQUENCE, INVALID_REQUEST, REMOTE_ACCESS, REMOTE_OPERATIONAL = 0x60, 0x61, 0x62, 0x63
RNR = 0x20
# What turns a key into one that nobody has.
UNKNOWN = 0x7ff00

WAIT_SECONDS = 5


class Either:
    """An expectation that depends on whether our NIC or a kernel is on one side of the connection."""

    def __init__(self, ours, kernel):
        self.ours = ours
        self.kernel = kernel

    def choose(self, endpoint):
        return self.kernel if endpoint.agent.peer.is_kernel else self.ours


class ByRequester(Either):
    def of(self, scenario):
        return self.choose(scenario.requester)


class ByResponder(Either):
    def of(self, scenario):
        return self.choose(scenario.responder)


class Scenario:
    """Two connected queue pairs; `source` and `scratch` memory at the requester, `target` memory at the responder."""

    def __init__(self, requester_agent, responder_agent, tap, row):
        self.tap = tap
        self.requester = ConnectedQueuePair(requester_agent, 0xfffff0, cq_depth=row.requester_cq)
        self.responder = ConnectedQueuePair(responder_agent, 0xfffff9, access=row.qp_access, cq_depth=row.responder_cq)
        self.requester.connect(self.responder, IB_MTU, **dict(LONG_TIMEOUT, **row.attributes))
        self.responder.connect(self.requester, row.responder_mtu, **dict(LONG_TIMEOUT, **row.responder_attributes))
        self.source = requester_agent.memory(LENGTH, seed=SOURCE_SEED)
        self.scratch = requester_agent.memory(LENGTH)
        self.target = responder_agent.memory(LENGTH, access=row.mr_access, seed=TARGET_SEED)

    def perform(self, act):
        """Executes the steps of a row, with a semicolon between them:

        receive [SIZE] [memory=KIND]                          posts a receive, of 64 bytes unless it has a size
        OPCODE [SIZE] [memory=KIND] [key=KIND] [at=OFFSET]    posts a request
        own STATE, peer STATE                                 changes the state of the requester, of the responder; "gone" destroys it
        nak                                                   waits for a NAK
        """
        for step in act.split(";"):
            word, *rest = step.split()
            values = dict(item.split("=") for item in rest if "=" in item)
            size = next((int(item) for item in rest if item.isdecimal()), 64)
            if word == "receive":
                self.receive(size, values.get("memory"))
            elif word in ("own", "peer"):
                endpoint = self.requester if word == "own" else self.responder
                if rest[0] == "gone":
                    endpoint.agent.execute("destroy", name=endpoint.qp)
                else:
                    endpoint.move(rest[0], **({"sqd_notify": 1} if "notify" in rest else {}))
            elif word == "nak":
                self.wait_for(lambda: self.naks, "a NAK")
            else:
                self.post(word, size, values.get("memory"), values.get("key"), values.get("at", "0"))

    def post(self, opcode, size=64, memory=None, key=None, at="0"):
        """Posts a request. `memory` is the kind of the local one, `key` that of the remote one, `at` the offset there."""
        more = {}
        if opcode.startswith(("WRITE", "READ", "FETCH", "CMP")):
            more["remote"], more["rkey"] = self._remote(key)
            more["remote"] = 2 ** 64 - 64 if at == "end-of-address-space" else (more["remote"] + int(at)) % 2 ** 64
        if opcode.endswith("_IMM"):
            more["imm"] = 7
        more.update({"FETCH_ADD": {"add": 1}, "CMP_SWAP": {"compare": 1, "swap": 2},
                     "SEND_INV": {"inv_rkey": self.target.rkey ^ UNKNOWN}}.get(opcode, {}))
        local = self.scratch if opcode.startswith(("READ", "FETCH", "CMP")) else self.source
        self.requester.send(opcode, *self._elements(self.requester, local, size, memory), **more)
        self.requester.agent.collect()

    def _remote(self, key):
        """Address and key of the target, or of memory that the requester may not use."""
        agent = self.responder.agent
        if key == "of-other-domain":
            domain = agent.name("pd")
            agent.execute("pd", name=domain)
            foreign = agent.memory(64, pd=domain)
            return foreign.address, foreign.rkey
        if key == "destroyed":
            memory = agent.memory(64)
            agent.execute("destroy", name=memory.name)
            return memory.address, memory.rkey
        return self.target.address, self.target.rkey ^ {None: 0, "unknown": UNKNOWN, "wrong-byte": 0xff}[key]

    def receive(self, size=64, memory=None):
        self.responder.recv(*self._elements(self.responder, self.target, size, memory))
        self.responder.agent.collect()

    @staticmethod
    def _elements(endpoint, memory, size, kind):
        """The elements of a request. By key: our NIC refuses a region without the right when the request is posted."""
        if kind is None:
            return memory.elements(0, size)
        address, key = memory.address, memory.lkey
        if kind == "read-only":
            other = endpoint.agent.memory(64, access="")
            address, key = other.address, other.lkey
        return ["raw:%d:%d:%d" % (address + (LENGTH - 32 if kind == "past-the-end" else 0), size, key ^ (UNKNOWN if kind == "unknown" else 0))]

    def frames_of(self, endpoint):
        """Frames that one side has sent."""
        return [frame for frame in self.tap.collect() if frame.source_gid == endpoint.agent.gid]

    @property
    def requests(self):
        return [frame for frame in self.frames_of(self.requester) if not frame.is_response]

    @property
    def naks(self):
        return [frame for frame in self.frames_of(self.responder) if frame.is_nak]

    def wait_for(self, condition, what):
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise CaseFailed("did not happen within %d s: %s" % (WAIT_SECONDS, what))
            time.sleep(0.002)


@dataclass
class Row:
    """One line of the error matrix.

    `act` provokes the error: steps of Scenario.perform, or a function. `sends` are the statuses of the requester's sends, `receives` those of the responder's
    receives, both in posting order; `naks` are the syndromes sent. None means any value, a function computes it from the scenario.
    `check` checks everything else.
    """

    name: str
    rules: str
    act: Any
    sends: Any
    receives: Any = ()
    naks: Any = ()
    events: Any = ()
    responder_events: Any = ()
    states: tuple = ("ERR", "ERR")
    requests: Any = None
    attributes: dict = field(default_factory=dict)
    responder_attributes: dict = field(default_factory=dict)
    qp_access: str = ALL_ACCESS
    mr_access: str = ALL_ACCESS
    responder_mtu: int = IB_MTU
    requester_cq: int = 256
    responder_cq: int = 256
    target_kept: bool = True
    check: Callable = None
    only: str = None
    explained: tuple = ()

    def verify(self, scenario):
        requester, responder = scenario.requester, scenario.responder

        def expected(value):
            value = value.of(scenario) if isinstance(value, Either) else value
            return value(scenario) if callable(value) else value

        check_completions(requester, requester.sends, expected(self.sends))
        check_completions(responder, responder.receives, expected(self.receives))
        check_events(requester, expected(self.events))
        check_events(responder, expected(self.responder_events))
        check_state(requester, expected(self.states[0]))
        check_state(responder, expected(self.states[1]))
        found = [frame.syndrome for frame in scenario.naks]
        wanted = expected(self.naks)
        if wanted is not None and found != list(wanted):
            raise CaseFailed("NAKs on the wire %s instead of %s" % (hexadecimal(found), hexadecimal(wanted)))
        check_requests(len(scenario.requests), expected(self.requests))
        if self.target_kept:
            scenario.target.check()
        scenario.source.check()
        if self.explained and not requester.agent.peer.is_kernel:
            check_explained(requester, self.explained)
        if self.check:
            self.check(scenario)
        for endpoint in (requester, responder):
            endpoint.expect_no_more()


def hexadecimal(values):
    return "[%s]" % ", ".join("%02x" % value for value in values)


def check_completions(endpoint, requests, wanted):
    """Requires that the first requests completed in posting order with these statuses."""
    found = endpoint.poll(len(wanted), 20) if wanted else []
    pairs = [(completion.id, completion.status) for completion in found]
    if pairs != list(zip(requests, wanted)):
        raise CaseFailed("%s: requests %s completed as %s instead of %s"
                         % (endpoint.agent.peer.name, requests, pairs, list(wanted)))


def check_requests(found, wanted):
    """Requires this number of request packets. On a busy machine a late response may have caused a retransmission."""
    if wanted is None or found == wanted:
        return
    text = "%d request packets instead of %d" % (found, wanted)
    raise Recovered(text) if found > wanted else CaseFailed(text)


def check_events(endpoint, wanted):
    """Requires exactly these events; rdma_rxe may repeat one."""
    if wanted is None:
        return
    found = []
    while (event := endpoint.agent.execute("event", timeout_ms=0 if len(found) >= len(wanted) else 2000)["event"]) != "none":
        if not (endpoint.agent.peer.is_kernel and event in found):
            found.append(event)
    if sorted(found) != sorted(wanted):
        raise CaseFailed("%s raised %s instead of %s" % (endpoint.agent.peer.name, found, list(wanted)))


def check_state(endpoint, wanted):
    """Waits for this state: rdma_rxe sends a NAK before it changes the state."""
    if wanted is None:
        return
    deadline = time.monotonic() + WAIT_SECONDS
    while (state := endpoint.state()) != wanted:
        if time.monotonic() > deadline:
            raise CaseFailed("the queue pair of %s is in %s instead of %s" % (endpoint.agent.peer.name, state, wanted))


def check_explained(endpoint, words):
    """The status text that our agent prints must contain these words: which peer, what, and when."""
    text = endpoint.agent.process_output()
    for word in words:
        if word not in text:
            raise CaseFailed("the explanation lacks '%s': %s" % (word, text[-500:]))


def error_case(row, we_request):
    def run(world, log):
        with world.agents(4, log) as (ours, kernel), FrameTap(world.kernel.tap) as tap:
            requester, responder = (ours, kernel) if we_request else (kernel, ours)
            for agent in (requester, responder):
                while agent.execute("event", timeout_ms=0)["event"] != "none":
                    pass
            try:
                scenario = Scenario(requester, responder, tap, row)
                row.act(scenario) if callable(row.act) else scenario.perform(row.act)
                row.verify(scenario)
            finally:
                log.add("frames, seen from our NIC", describe(tap.collect(), world.ours.address(4)))
    return run


def cases_of(rows):
    found = []
    for row in rows:
        for direction, we_request in (("ours to kernel", True), ("kernel to ours", False)):
            if row.only in (None, direction):
                found.append(Case("error %s: %s, %s" % (row.rules, row.name, direction), INTERFACE_MTU,
                                  error_case(row, we_request), agent="host"))
    return found
