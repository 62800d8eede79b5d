"""The error matrix, error_cases.tsv, which README.md describes: rules R7 to R17 and Q2 to Q14, in both roles."""

import time

from cases import Case, CaseFailed, Recovered, table
from verbs_client import ALL_ACCESS, DIRECTIONS, IB_MTU, INTERFACE_MTU, AgentError, ConnectedQueuePair
from wire import CMP_SWAP, FETCH_ADD, READ_REQUEST, RESPONSES, FrameTap

LENGTH = 16384
SOURCE_SEED, TARGET_SEED = 11, 22
# What turns a key into one that nobody has.
UNKNOWN = 0x7ff00
WAIT_SECONDS = 5
# AETH syndromes.
RNR, SEQUENCE, INVALID_REQUEST = 0x20, 0x60, 0x61


def settings_of(row):
    return dict(item.split("=") for item in row.settings.split() if item != "-")


class Scenario:
    """Two connected queue pairs; `source` and `scratch` memory at the requester, `target` memory at the responder."""

    def __init__(self, requester_agent, responder_agent, tap, row):
        settings = settings_of(row)
        lacks = {owner: settings.pop(owner + "_lacks", None) for owner in ("qp", "mr")}
        access = {owner: ",".join(flag for flag in ALL_ACCESS.split(",") if flag != lacks[owner]) for owner in lacks}
        depths = [int(settings.pop(side + "_cq", 256)) for side in ("own", "peer")]
        responder_mtu = int(settings.pop("peer_mtu", IB_MTU))
        self.is_target_kept = settings.pop("target", "kept") == "kept"
        # Each side uses those of its role.
        self.attributes = {name: int(value) for name, value in settings.items() if name not in ("only", "harms")}
        self.row, self.tap = row, tap
        self.requester = ConnectedQueuePair(requester_agent, 0xfffff0, cq_depth=depths[0])
        self.responder = ConnectedQueuePair(responder_agent, 0xfffff9, access=access["qp"], cq_depth=depths[1])
        self.requester.connect(self.responder, IB_MTU, **self.attributes)
        self.responder.connect(self.requester, responder_mtu, **self.attributes)
        self.source = requester_agent.memory(LENGTH, seed=SOURCE_SEED)
        self.scratch = requester_agent.memory(LENGTH)
        self.target = responder_agent.memory(LENGTH, access=access["mr"], seed=TARGET_SEED)
        self.finder = getattr(self, row.finder)

    def repeated(self, text):
        """"3*TEXT" is TEXT three times; "depth*" and "depth+1*" stand for the depth of the finder's completion queue."""
        count, _, rest = text.rpartition("*")
        return [rest] * (int(count) if count.isdecimal() else {"": 1, "depth": self.finder.cq_depth, "depth+1": self.finder.cq_depth + 1}[count])

    def expected(self, column):
        """The words of a column, None for any."""
        texts, peer = getattr(self.row, column).split(" / "), self.finder.agent.peer
        text = texts[min(peer.is_kernel + (peer.raises_events if "events" in column else peer.is_newest), len(texts) - 1)]
        return None if text == "*" else [word for item in text.split() if item != "-" for word in self.repeated(item)]

    def step(self, words):
        """
        receive [SIZE] [memory=KIND]                        posts a receive, of 64 bytes unless it has a size
        OPCODE [SIZE] [memory=KIND] [key=KIND] [at=OFFSET]  posts a request
        refused OPCODE ...                                  posts a request, which must be refused
        own STATE, peer STATE                               changes the state of the requester, of the responder; "gone" destroys it
        sent, unsent, naks N, acknowledged                  waits for a request on the wire; finds none; waits for NAKs; for the last ACK
        done, quiet, event NAME                             takes a completion; finds none for a while; takes an event, or "none"
        """
        word, *rest = words.split()
        requester = self.requester
        if word == "receive":
            self.responder.recv(*self._elements(self.responder, self.target, *options(rest)))
            self.responder.agent.collect()
        elif word == "refused":
            try:
                self.post(*rest)
                requester.agent.collect()
            except AgentError:
                return
            raise CaseFailed("%s was accepted" % words)
        elif word in ("own", "peer"):
            endpoint = requester if word == "own" else self.responder
            if rest[0] == "gone":
                endpoint.agent.execute("destroy", name=endpoint.qp)
            else:
                endpoint.move(rest[0], **({"sqd_notify": 1} if "notify" in rest else {}))
        elif word == "sent":
            self.wait_for(lambda: self.requests, "a request")
        elif word == "unsent":
            if self.requests:
                raise CaseFailed("a request was sent in SQD")
        elif word == "naks":
            self.wait_for(lambda: len(self.naks) >= int(rest[0]), "%s NAKs" % rest[0])
        elif word == "acknowledged":
            last = (requester.psn + len(requester.sends) - 1) % 2 ** 24
            self.wait_for(lambda: any(frame.psn == last for frame in self.frames_of(self.responder)), "the last acknowledgement")
        elif word == "done":
            requester.poll(1)
        elif word == "quiet":
            time.sleep(0.3)
            requester.expect_no_more()
        elif word == "event":
            found = requester.agent.execute("event", timeout_ms=100 if rest[0] == "none" else 2000)["event"]
            if found != rest[0]:
                raise CaseFailed("the event is %s instead of %s" % (found, rest[0]))
        else:
            self.post(word, *rest)

    def post(self, opcode, *words):
        """Posts a request. `memory` is the kind of the local one, `key` that of the remote one, `at` the offset there."""
        size, memory, key, at, add = options(words, "memory", "key", "at", "add")
        more = {"FETCH_ADD": {"add": int(add or 1)}, "CMP_SWAP": {"compare": 1, "swap": 2},
                "SEND_INV": {"inv_rkey": self.target.rkey ^ UNKNOWN}}.get(opcode, {})
        fetches = opcode in ("READ", "FETCH_ADD", "CMP_SWAP")
        if fetches or opcode.startswith("WRITE"):
            address, more["rkey"] = self._remote(key)
            more["remote"] = 2 ** 64 - 64 if at == "end-of-address-space" else (address + int(at or 0)) % 2 ** 64
        if opcode.endswith("_IMM"):
            more["imm"] = 7
        self.requester.send(opcode, *self._elements(self.requester, self.scratch if fetches else self.source, size, memory), **more)

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
        return [frame for frame in self.tap.collect() if frame.source_gid == endpoint.agent.gid]

    @property
    def requests(self):
        return [frame for frame in self.frames_of(self.requester) if not frame.is_response]

    @property
    def naks(self):
        return [frame for frame in self.frames_of(self.responder) if frame.is_nak]

    @property
    def syndromes(self):
        return ["%02x" % frame.syndrome for frame in self.naks]

    def wait_for(self, condition, what):
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise CaseFailed("did not happen within %d s: %s" % (WAIT_SECONDS, what))
            time.sleep(0.002)

    def run(self):
        requester, responder = self.requester, self.responder
        for steps in self.row.act.split("; "):
            for step in self.repeated(steps):
                self.step(step)
        requester.agent.collect()
        check_completions(requester, requester.sends, self.expected("sends"))
        check_completions(responder, responder.receives, self.expected("receives"))
        check_events(requester, self.expected("events"))
        check_events(responder, self.expected("responder_events"))
        for endpoint, state in zip((requester, responder), self.expected("states") or ()):
            if state != "any":
                # rdma_rxe sends a NAK before it changes the state.
                self.wait_for(lambda: endpoint.state() == state, "%s of the queue pair of %s" % (state, endpoint.agent.peer.name))
        wanted = self.expected("naks")
        if wanted not in (None, self.syndromes):
            raise CaseFailed("NAKs on the wire %s instead of %s" % (self.syndromes, wanted))
        check_requests(len(self.requests), self.expected("requests"))
        if self.is_target_kept:
            self.target.check()
        self.source.check()
        for name in self.row.checks.split():
            CHECKS[name](self)
        for endpoint in (requester, responder):
            endpoint.expect_no_more()


def options(words, *names):
    """The size among the words, 64 without one, and the values of names, None without."""
    values = dict(word.split("=") for word in words if "=" in word)
    return [next((int(word) for word in words if word.isdecimal()), 64)] + [values.get(name) for name in names or ("memory",)]


def check_completions(endpoint, requests, wanted):
    pairs = [(completion.id, completion.status) for completion in (endpoint.poll(len(wanted)) if wanted else [])]
    if pairs != list(zip(requests, wanted)):
        raise CaseFailed("%s: requests %s completed as %s instead of %s" % (endpoint.agent.peer.name, requests, pairs, wanted))


def check_requests(found, wanted):
    """Requires this number of request packets. On a busy machine a late response may have caused a retransmission."""
    if wanted and found != int(wanted[0]):
        text = "%d request packets instead of %s" % (found, wanted[0])
        raise Recovered(text) if found > int(wanted[0]) else CaseFailed(text)


def check_events(endpoint, wanted):
    """Requires exactly these events; rdma_rxe may repeat one."""
    if wanted is None:
        return
    found = []
    while (event := endpoint.agent.execute("event", timeout_ms=0 if len(found) >= len(wanted) else 2000)["event"]) != "none":
        if not (endpoint.agent.peer.is_kernel and event in found):
            found.append(event)
    if sorted(found) != sorted(wanted):
        raise CaseFailed("%s raised %s instead of %s" % (endpoint.agent.peer.name, found, wanted))


def no_read_data(scenario):
    """Rule R14: a READ that fails a check returns no data at all."""
    responses = [frame for frame in scenario.frames_of(scenario.responder) if frame.opcode in RESPONSES and not frame.is_nak]
    if responses:
        raise CaseFailed("data was sent before the NAK: %s" % [str(frame) for frame in responses])


def explained(*words):
    """The status text that our requester prints must contain these words: which peer, what, and when."""
    def check(scenario):
        text = scenario.requester.agent.process.command.output
        for word in words:
            if not scenario.requester.agent.peer.is_kernel and word not in text:
                raise CaseFailed("the explanation lacks '%s': %s" % (word, text[-500:]))
    return check


def rnr(scenario):
    """No receive is ever posted. rdma_rxe adds sequence NAKs for the packets that follow; we must send none."""
    syndromes, retries = [nak.syndrome for nak in scenario.naks], scenario.attributes["rnr_retry"]
    if not scenario.responder.agent.peer.is_kernel and SEQUENCE in syndromes:
        raise CaseFailed("a sequence NAK after an RNR NAK: it costs a kernel requester a retry")
    # rdma_rxe goes back too far when the refused packet is not the first of its message, and provokes one more NAK.
    wanted = RNR | scenario.attributes["min_rnr_timer"]
    surplus = syndromes.count(wanted) - 1 - retries
    text = "NAKs on the wire %s instead of %d RNR NAKs" % (scenario.syndromes, 1 + retries)
    if surplus < 0 or set(syndromes) - {wanted, SEQUENCE}:
        raise CaseFailed(text)
    if surplus > (1 if scenario.requester.agent.peer.is_kernel else 0):
        raise Recovered(text)
    explained("had no receive request for PSN")(scenario)


def rnr_wait(scenario):
    """Rule T8: after an RNR NAK no request is sent before its timer, 10.24 ms, has expired. Of rdma_rxe only the count is checked."""
    nak_seconds = None
    for frame in scenario.tap.collect() if not scenario.requester.agent.peer.is_kernel else ():
        if frame.is_nak:
            nak_seconds = frame.seconds
        elif not frame.is_response and nak_seconds is not None:
            check_spacing(frame.seconds - nak_seconds, 0.01024)
            nak_seconds = None


def spaced(scenario):
    """Rule T1: no retransmission before the timeout. The first of two frames may have been delayed on its way out: 10 % less passes."""
    times = [frame.seconds for frame in scenario.requests if frame.psn == scenario.requester.psn]
    for earlier, later in zip(times, times[1:]) if not scenario.requester.agent.peer.is_kernel else ():
        check_spacing(later - earlier, 0.9 * 4096e-9 * 2 ** scenario.attributes["timeout"])


def check_spacing(seconds, least):
    if seconds < least:
        raise Recovered("retransmitted after %.3f ms instead of %.3f ms" % (seconds * 1e3, least * 1e3))


def last_packet(scenario):
    if {(nak.psn - scenario.requester.psn) % 2 ** 24 for nak in scenario.naks if nak.syndrome != SEQUENCE} != {3}:
        raise CaseFailed("an RNR NAK of a WRITE_IMM has another PSN than that of its last packet")


def never_two(scenario):
    """Rule Q11: no more READs and atomics outstanding than max_rd_atomic, which is 1 here."""
    last = None
    for frame in scenario.tap.collect():
        if frame.is_response:
            last = None if frame.psn == last else last
        elif frame.opcode in (READ_REQUEST, CMP_SWAP, FETCH_ADD):
            if last is not None:
                raise CaseFailed("a second READ or atomic was sent while the first was outstanding")
            last = (frame.psn + max(1, -(-(frame.length or 0) // IB_MTU)) - 1) % 2 ** 24


def too_many(scenario):
    """How many READs succeed before two arrive together depends on timing; what happens then does not."""
    found = [completion.status for completion in scenario.requester.poll(8)]
    good = found.count("SUCCESS")
    if found != (["SUCCESS"] * good + ["REM_INV_REQ_ERR"] + ["WR_FLUSH_ERR"] * 7)[:8]:
        raise CaseFailed("the READs completed as %s" % found)
    if [nak.syndrome for nak in scenario.naks] != [INVALID_REQUEST][good // 8:]:
        raise CaseFailed("%d READs succeeded, and the NAKs were %s" % (good, scenario.syndromes))
    check_events(scenario.responder, ["QP_ACCESS_ERR"][good // 8:])


CHECKS = {"-": lambda scenario: None, "no_read_data": no_read_data, "rnr": rnr, "rnr_wait": rnr_wait, "last_packet": last_packet,
          "dead": explained("did not answer PSN", "transmissions"), "spaced": spaced, "never_two": never_two, "too_many": too_many}


def error_case(row, direction, we_request):
    def run(world, log):
        with world.agents(4, log) as (ours, kernel), FrameTap(world.kernel.tap, log, world.ours.address(4)) as tap:
            for agent in (ours, kernel):
                while agent.execute("event", timeout_ms=0)["event"] != "none":
                    pass
            Scenario(*((ours, kernel) if we_request else (kernel, ours)), tap, row).run()
    return Case("error %s: %s, %s" % (row.rules, row.name, direction), INTERFACE_MTU, run, agent="host",
                harms=int(settings_of(row).get("harms", 0)) if we_request else 0)


def cases():
    return [error_case(row, direction, we_request) for row in table("error_cases.tsv") for direction, we_request in DIRECTIONS
            if settings_of(row).get("only") in (None, direction.split()[0])]
