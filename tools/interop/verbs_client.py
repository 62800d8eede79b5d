"""The client side of a connection to a verbs agent, two connected queue pairs, one on each of two agents, and the cases with them.

A case has a body that uses the pairs. It is written once, for a requester and a responder, and runs with our NIC as either.
"""

import collections
import hashlib
import itertools
import random
import socket

from cases import Case, CaseFailed, Recovered
from guest import GuestGone
from kernel_safety import check_harmless
from peers import moved, recovery_since
from wire import FrameTap

ALL_ACCESS = "local_write,remote_write,remote_read,remote_atomic"
# With a long timeout only real losses are retransmitted: timeout code 18 is 1.07 s. On a faulty link each loss at the end of a message
# costs a kernel requester the timeout: code 14 is 67 ms.
LONG_TIMEOUT = {"timeout": 18, "retry_cnt": 7, "rnr_retry": 7}
SHORT_TIMEOUT = {"timeout": 14, "retry_cnt": 7, "rnr_retry": 7}
# A limit, not a wait: an emulated guest on a busy machine takes a minute to start Python.
START_SECONDS = 180
DIRECTIONS = (("ours to kernel", True), ("kernel to ours", False))
IB_MTU, INTERFACE_MTU = 1024, 1500
# Between the buffers of an exchange. Odd, so that only the first is aligned, and large enough to reveal a write past the end.
GAP = 61


class AgentError(CaseFailed):
    """The agent refused a command; the text is its reason."""


# One work completion; `immediate` is None without immediate data.
Completion = collections.namedtuple("Completion", "id status opcode length immediate")


def completion_of(text):
    request, status, opcode, length, immediate = text.split(":")
    return Completion(int(request), status, opcode, int(length), None if immediate == "-" else int(immediate))


class Memory:
    """A memory region of an agent. `wanted` are the bytes that it should have: a case changes them as its requests do."""

    def __init__(self, agent, name, wanted, values):
        self._agent = agent
        self.name = name
        self.wanted = bytearray(wanted)
        self.length = len(wanted)
        self.address, self.lkey, self.rkey = (int(values[key]) for key in ("addr", "lkey", "rkey"))

    def element(self, offset=0, length=None):
        """A scatter/gather element in the agent's notation."""
        return "%s:%d:%d" % (self.name, offset, self.length - offset if length is None else length)

    def elements(self, offset, length):
        return [self.element(offset, length)] if length else []

    def write(self, data):
        self._agent.execute("write", name=self.name, offset=0, data=data.hex())
        self.wanted[:len(data)] = data

    def check(self):
        if self._agent.execute("hash", name=self.name, offset=0, length=self.length)["sha256"] == hashlib.sha256(self.wanted).hexdigest():
            return
        # Reads the bytes only now, to report the first that differs.
        found = "".join(self._agent.execute("read", name=self.name, offset=offset, length=min(65536, self.length - offset))["data"]
                        for offset in range(0, self.length, 65536))
        pairs = enumerate(zip(bytes.fromhex(found), self.wanted))
        raise CaseFailed("memory of %s differs: %s" % (self._agent.peer.name, next(
            ("byte %d is 0x%02x, not 0x%02x" % (index, *pair) for index, pair in pairs if pair[0] != pair[1]), "in its hash only")))


class AgentProcess:
    """A running verbs agent of a kind that the peer has. It serves one connection at a time."""

    def __init__(self, peer, family, port, kind):
        self.peer = peer
        self.port = port
        self.command = peer.start_agent(family, port, kind)
        if not peer.wait_server(port, START_SECONDS, self.command, False):
            self.command.stop()
            raise CaseFailed("the agent of %s did not start: %s" % (peer.name, self.command.output[-500:].strip()))


class Agent:
    """One connection to a verbs agent. Objects that it created live as long as it does."""

    def __init__(self, process):
        self.peer = process.peer
        self.transcript = []
        self.process = process
        self._numbers = itertools.count(1)
        self._unread = 0
        try:
            self._socket = socket.create_connection((self.peer.control_address, process.port), 30)
        except OSError as error:
            raise self._lost(error) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self._socket.makefile("r", encoding="ascii", newline="\n")
        opened = self.execute("open")
        self.gid = opened["gid"]
        self.is_java = opened.get("kind") == "java"

    def close(self):
        self._reader.close()
        self._socket.close()

    def name(self, kind):
        return "%s%d" % (kind, next(self._numbers))

    def submit(self, word, **values):
        """Sends a command whose reply the next execute() or collect() reads and checks: saves a round trip."""
        line = " ".join([word] + ["%s=%s" % item for item in values.items()])
        self.transcript.append("> " + line[:400])
        try:
            self._socket.sendall(line.encode() + b"\n")
        except OSError as error:
            raise self._lost(error) from error
        self._unread += 1

    def execute(self, word, **values):
        self.submit(word, **values)
        return self.collect()

    def collect(self):
        """Reads all outstanding replies and returns the values of the last one."""
        values, refusal = {}, None
        while self._unread:
            try:
                line = self._reader.readline()
            except OSError as error:
                raise self._lost(error) from error
            if not line:
                raise self._lost()
            self._unread -= 1
            self.transcript.append("< " + line.rstrip("\n")[:400])
            word, _, rest = line.rstrip("\n").partition(" ")
            if word != "ok":
                refusal = refusal or rest
            else:
                values = dict(item.split("=", 1) for item in rest.split())
        if refusal is not None:
            raise AgentError("%s refused: %s" % (self.peer.name, refusal))
        return values

    def _lost(self, error="it closed the connection"):
        text = "lost the agent of %s: %s; %s" % (self.peer.name, error, self.process.command.output[-500:].strip())
        return GuestGone(text) if self.peer.is_kernel else CaseFailed(text)

    def memory(self, length, access=ALL_ACCESS, seed=None, **more):
        """Registers memory, with the random bytes of a seed or with zeros. Our agent in Java has no such bytes."""
        name = self.name("mr")
        if seed is not None and not self.is_java:
            more["seed"] = seed
        wanted = bytes(length) if seed is None else random.Random(seed).randbytes(length)
        memory = Memory(self, name, wanted, self.execute("mr", name=name, length=length, access=access, **more))
        if seed is not None and self.is_java:
            memory.write(wanted)
        return memory

    def poll(self, cq, count, timeout_seconds=20):
        self._socket.settimeout(timeout_seconds + 30)
        reply = self.execute("poll", name=cq, count=count, timeout_ms=int(timeout_seconds * 1000))
        found = [completion_of(reply["wc%d" % index]) for index in range(int(reply["n"]))]
        if len(found) != count:
            raise CaseFailed("%s completed %d of %d requests in %d s: %s"
                             % (self.peer.name, len(found), count, timeout_seconds, found))
        return found

    def counters(self):
        return {name: int(value) for name, value in self.execute("counters").items()}


class ConnectedQueuePair:
    """One queue pair with its completion queue, and the ids of the requests posted to it, in order."""

    def __init__(self, agent, psn, access=ALL_ACCESS, cq_depth=256, extended=None):
        self.agent = agent
        self.psn = psn
        self.cq = agent.name("cq")
        self.qp = agent.name("qp")
        self._access = access
        self.take_id = itertools.count(1).__next__
        self.sends = []
        self.receives = []
        self.cq_depth = int(agent.execute("cq", name=self.cq, depth=cq_depth)["depth"])
        self.qpn = int(agent.execute("qp", name=self.qp, cq=self.cq, wr=64, sge=8, **({"extended": extended} if extended else {}))["qpn"])

    def connect(self, other, mtu, **attributes):
        """Takes the queue pair from RESET to RTS; `attributes` replace the defaults."""
        values = {**LONG_TIMEOUT, "max_rd_atomic": 8, "max_dest_rd_atomic": 8, "min_rnr_timer": 12,
                  "rq_psn": other.psn, "sq_psn": self.psn, **attributes}
        to_rtr = {name: values.pop(name) for name in ("rq_psn", "max_dest_rd_atomic", "min_rnr_timer")}
        self.modify("INIT", pkey_index=0, port=1, access=self._access)
        self.modify("RTR", dest_gid=other.agent.gid, dest_qpn=other.qpn, mtu=mtu, **to_rtr)
        self.modify("RTS", **values)
        self.agent.collect()

    def modify(self, state, **attributes):
        """Changes the state; the reply is read with the next command."""
        self.agent.submit("modify", name=self.qp, state=state, **attributes)

    def move(self, state, **attributes):
        self.modify(state, **attributes)
        self.agent.collect()

    def recv(self, *elements):
        """Posts a receive; the reply is read with the next command. Returns the request id."""
        request = self.take_id()
        self.receives.append(request)
        self.agent.submit("recv", name=self.qp, wr_id=request, sge=",".join(elements))
        return request

    def send(self, opcode, *elements, **values):
        """Posts a send request of any kind; the reply is read with the next command. Returns its id."""
        request = self.take_id()
        self.sends.append(request)
        self.agent.submit("send", name=self.qp, wr_id=request, opcode=opcode, sge=",".join(elements), **values)
        return request

    def poll(self, count, timeout_seconds=20):
        return self.agent.poll(self.cq, count, timeout_seconds)

    def expect(self, wanted, timeout_seconds=20):
        """Polls one successful completion for each (id, opcode, length, immediate) in order; None means any value."""
        found = self.poll(len(wanted), timeout_seconds) if wanted else []
        for completion, (request, *rest) in zip(found, wanted):
            wish = Completion(request, "SUCCESS", *rest)
            if any(want not in (None, actual) for actual, want in zip(completion, wish)):
                raise CaseFailed("%s: %s instead of %s" % (self.agent.peer.name, completion, wish))

    def expect_no_more(self):
        reply = self.agent.execute("poll", name=self.cq, count=1, timeout_ms=0)
        if int(reply["n"]):
            raise CaseFailed("%s: unexpected completion: %s" % (self.agent.peer.name, reply["wc0"]))

    def state(self):
        return self.agent.execute("query", name=self.qp)["state"]


def connect(requester_agent, responder_agent, mtu, access=ALL_ACCESS, extended=None, **attributes):
    """Two connected queue pairs; `access` is that of the responder. Both initial PSNs are just below the wrap at 2^24."""
    requester = ConnectedQueuePair(requester_agent, 0xfffff0, extended=extended)
    responder = ConnectedQueuePair(responder_agent, 0xfffff9, access, extended=extended)
    requester.connect(responder, mtu, **attributes)
    responder.connect(requester, mtu, **attributes)
    return requester, responder


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
                  peer=1, **options):
    """A case; `exact` allows no retransmission. `options` are those of Exchange."""
    def run(world, log):
        with world.agents(family, log) as (ours, kernel), FrameTap(world.kernel.tap, log, world.ours.address(family)) as tap:
            requester, responder = (ours, kernel) if we_request else (kernel, ours)
            before = ours.counters(), kernel.counters()
            body(Exchange(requester, responder, ib_mtu, **dict({} if exact else SHORT_TIMEOUT, **options)))
            if ib_mtu == IB_MTU:
                check_harmless(tap.collect(), world.kernel.address(family))
            after = ours.counters(), kernel.counters()
        recovered = [text for old, new in zip(before, after) for text in recovery_since(old, new)]
        if exact and recovered:
            raise Recovered("packets were retransmitted: " + ", ".join(recovered))
        return None if exact else moved(before, after)
    return Case(name, interface_mtu, run, agent=agent, fault=fault, peer=peer)
