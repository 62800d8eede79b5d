"""The error matrix: rules R9 to R14 and Q2 to Q12 of the reliability rules, our NIC against a kernel peer in both roles."""

import time

from cases import CaseFailed, Recovered
from error_trial import (ALL_ACCESS, IB_MTU, INVALID_REQUEST, LENGTH, REMOTE_ACCESS, REMOTE_OPERATIONAL, RNR, SEQUENCE,
                         ByRequester, ByResponder, Row, cases_of, hexadecimal)
from verbs_client import AgentError
from wire import READ_REQUEST, RESPONSES

FLUSHED = "WR_FLUSH_ERR"
BIG = 4 * IB_MTU

# rdma_rxe raises no event for a request it refuses.
ACCESS_EVENT = ByResponder(ours=["QP_ACCESS_ERR"], kernel=[])
REQUEST_EVENT = ByResponder(ours=["QP_REQ_ERR"], kernel=[])
FATAL_EVENT = ByRequester(ours=["QP_FATAL"], kernel=[])


def access_row(name, act, rules="R10 R12 Q9", **more):
    """Refused for its key, its range or its rights, with no receive in use."""
    values = dict(sends=["REM_ACCESS_ERR"], naks=[REMOTE_ACCESS], responder_events=ACCESS_EVENT)
    values.update(more)
    return Row(name, rules, act, **values)


def invalid_row(name, act, rules="R9 R12 Q9", **more):
    """Refused as an invalid request, with no receive in use."""
    values = dict(sends=["REM_INV_REQ_ERR"], naks=[INVALID_REQUEST], responder_events=REQUEST_EVENT)
    values.update(more)
    return Row(name, rules, act, **values)


def without(flag):
    return ",".join(word for word in ALL_ACCESS.split(",") if word != flag)


def post(opcode, size=64, **more):
    return lambda trial: trial.post(opcode, size, **more)


def with_unknown_key(opcode, size=64):
    return lambda trial: trial.post(opcode, size, rkey=trial.unknown_rkey)


def receives_then(sizes, act):
    """Posts receives of these sizes, then acts."""
    def run(trial):
        for size in sizes:
            trial.receive(size)
        act(trial)
    return run


def both(*acts):
    def run(trial):
        for act in acts:
            act(trial)
    return run


def no_read_data(trial):
    """Rule R14: not one byte of a READ that cannot be served whole."""
    answers = [frame for frame in trial.frames_of(trial.responder) if frame.opcode in RESPONSES and not frame.is_nak]
    if answers:
        raise CaseFailed("data left before the refusal: %s" % [str(frame) for frame in answers])


def in_other_domain(trial):
    agent = trial.responder.agent
    domain = agent.name("pd")
    agent.ask("pd", name=domain)
    foreign = agent.memory(64, pd=domain)
    trial.requester.send("WRITE", trial.source.element(0, 64), remote=foreign.address, rkey=foreign.rkey)


def in_forgotten_memory(trial):
    agent = trial.responder.agent
    forgotten = agent.memory(64)
    agent.ask("destroy", name=forgotten.name)
    trial.requester.send("WRITE", trial.source.element(0, 64), remote=forgotten.address, rkey=forgotten.rkey)


def access_rows():
    rows = []
    for opcode, size in (("WRITE", 64), ("WRITE", BIG), ("READ", 64), ("READ", BIG), ("FETCH_ADD", 8), ("CMP_SWAP", 8)):
        what = opcode + (" of 4 packets" if size == BIG else "")
        check = no_read_data if opcode == "READ" else None
        rows.append(access_row("%s with an unknown key" % what, with_unknown_key(opcode, size), check=check))
        rows.append(access_row("%s half beyond the end" % what, post(opcode, size, remote=LENGTH if size == 8 else LENGTH - size // 2),
                               check=check, rules="R10 R12 R14 Q9" if check else "R10 R12 Q9"))
    rows += [
        access_row("WRITE with a wrong key byte", lambda trial: trial.post("WRITE", rkey=trial.target.rkey ^ 0xff)),
        access_row("WRITE before the start", post("WRITE", remote=-8)),
        access_row("WRITE beyond 64 bits", lambda trial: trial.post("WRITE", 128, remote=2 ** 64 - 64 - trial.target.address)),
        access_row("WRITE into another domain", in_other_domain),
        access_row("WRITE into memory that is gone", in_forgotten_memory),
        access_row("WRITE into memory without REMOTE_WRITE", post("WRITE"), mr_access=without("remote_write")),
        access_row("READ from memory without REMOTE_READ", post("READ"), mr_access=without("remote_read"), check=no_read_data),
        access_row("FETCH_ADD on memory without REMOTE_ATOMIC", post("FETCH_ADD", 8), mr_access=without("remote_atomic")),
        # The receive is taken before the key is looked at only where one packet has both.
        access_row("WRITE_IMM with an unknown key", receives_then([64, 64], with_unknown_key("WRITE_IMM")),
                   receives=["REM_ACCESS_ERR", FLUSHED], responder_events=[]),
        access_row("WRITE_IMM of 4 packets with an unknown key", receives_then([64, 64], with_unknown_key("WRITE_IMM", BIG)),
                   receives=[FLUSHED, FLUSHED]),
        access_row("WRITE with an unknown key, and a SEND behind it",
                   receives_then([64, 64], both(with_unknown_key("WRITE"), post("SEND"))), rules="R13 Q9 Q12",
                   sends=["REM_ACCESS_ERR", FLUSHED], receives=[FLUSHED, FLUSHED]),
        # rdma_rxe acknowledges a SEND whose key it cannot invalidate, although its own side fails.
        Row("SEND_INV of an unknown key", "R10 R12",
            receives_then([64, 64], lambda trial: trial.post("SEND_INV", inv_rkey=trial.unknown_rkey)),
            sends=ByResponder(ours=["REM_ACCESS_ERR"], kernel=["SUCCESS"]), naks=ByResponder(ours=[REMOTE_ACCESS], kernel=[]),
            receives=ByResponder(ours=["REM_ACCESS_ERR", FLUSHED], kernel=["REM_INV_REQ_ERR", FLUSHED]),
            states=(ByResponder(ours="ERR", kernel="RTS"), "ERR"), target_kept=False),
    ]
    for opcode in ("WRITE", "READ", "WRITE_IMM"):
        act = with_unknown_key(opcode, 0)
        rows.append(Row("%s of no bytes with an unknown key" % opcode, "R10", receives_then([64], act) if opcode == "WRITE_IMM" else act,
                        sends=["SUCCESS"], receives=["SUCCESS"] if opcode == "WRITE_IMM" else [], states=("RTS", "RTS")))
    return rows


def too_long_row(name, sizes, act, receives, sends=1):
    """rdma_rxe calls a SEND that is too long an operational error of its own."""
    flushed = [FLUSHED] * (sends - 1)
    return Row(name, "R9 R12", receives_then(sizes, act), target_kept=False,
               sends=ByResponder(ours=["REM_INV_REQ_ERR"] + flushed, kernel=["REM_OP_ERR"] + flushed),
               receives=ByResponder(ours=["LOC_LEN_ERR"] + receives, kernel=["LOC_QP_OP_ERR"] + receives),
               naks=ByResponder(ours=[INVALID_REQUEST], kernel=[REMOTE_OPERATIONAL]))


def invalid_rows():
    rows = []
    for opcode, flag in (("WRITE", "remote_write"), ("READ", "remote_read"), ("FETCH_ADD", "remote_atomic"),
                         ("CMP_SWAP", "remote_atomic")):
        size = 8 if flag == "remote_atomic" else 64
        rows.append(invalid_row("%s to a queue pair without %s" % (opcode, flag.upper()), post(opcode, size), qp_access=without(flag)))
        if size == 64:
            rows.append(invalid_row("%s of no bytes to a queue pair without %s" % (opcode, flag.upper()), post(opcode, 0),
                                    qp_access=without(flag)))
    rows += [
        invalid_row("WRITE_IMM to a queue pair without REMOTE_WRITE", receives_then([64], post("WRITE_IMM")),
                    qp_access=without("remote_write"), receives=[FLUSHED]),
        invalid_row("READ where max_dest_rd_atomic is 0", post("READ"), rules="R7 R9", responder_events=ACCESS_EVENT,
                    responder_attributes={"max_dest_rd_atomic": 0}),
        invalid_row("FETCH_ADD where max_dest_rd_atomic is 0", post("FETCH_ADD", 8), rules="R7 R9", responder_events=ACCESS_EVENT,
                    responder_attributes={"max_dest_rd_atomic": 0}),
        too_long_row("SEND longer than its receive", [32, 64], post("SEND"), [FLUSHED]),
        too_long_row("SEND_IMM longer than its receive", [32], post("SEND_IMM"), []),
        too_long_row("SEND longer than its receive, and more behind it", [32, 64, 64], both(post("SEND"), post("SEND"), post("SEND")),
                     [FLUSHED, FLUSHED], sends=3),
        too_long_row("SEND of 4 packets, its receive ends in the third", [2 * IB_MTU], post("SEND", BIG), []),
        too_long_row("SEND of 4 packets, its receive ends in the first", [100], post("SEND", BIG), []),
        # rdma_rxe does not look at the length of the packets of a SEND.
        Row("SEND in packets longer than the responder's path MTU", "R9 R12", receives_then([4096], post("SEND", 3000)),
            sends=ByResponder(ours=["REM_INV_REQ_ERR"], kernel=["SUCCESS"]), naks=ByResponder(ours=[INVALID_REQUEST], kernel=[]),
            receives=ByResponder(ours=["REM_INV_REQ_ERR"], kernel=["SUCCESS"]), responder_mtu=256, target_kept=False,
            states=(ByResponder(ours="ERR", kernel="RTS"),) * 2),
        invalid_row("WRITE in packets longer than the responder's path MTU", post("WRITE", 3000), responder_mtu=256),
        Row("atomics at odd addresses are refused when posted", "R9", misaligned, sends=[], states=("RTS", "RTS"), requests=0),
    ]
    return rows


def misaligned(trial):
    for opcode in ("FETCH_ADD", "CMP_SWAP"):
        try:
            trial.post(opcode, 8, remote=4)
        except AgentError:
            continue
        raise CaseFailed("%s at an odd address was accepted" % opcode)


def unusable_row(name, act, flushed=1):
    """A receive that cannot be used. rdma_rxe reports it as LOC_QP_OP_ERR whatever is wrong."""
    rest = [FLUSHED] * flushed
    return Row(name, "R11 R12 Q9", act, sends=["REM_OP_ERR"], naks=[REMOTE_OPERATIONAL],
               receives=ByResponder(ours=["LOC_PROT_ERR"] + rest, kernel=["LOC_QP_OP_ERR"] + rest))


def bad_receive(size=64):
    """A receive whose local key is unknown, then a good one."""
    def run(trial):
        trial.receive(element="raw:%d:%d:%d" % (trial.target.address, size, trial.target.lkey ^ 0x7ff00))
        trial.receive()
    return run


def read_only_receive(trial):
    memory = trial.responder.agent.memory(64, access="")
    trial.receive(element=memory.element())
    trial.receive()


def receive_past_the_end(trial):
    trial.receive(element="raw:%d:64:%d" % (trial.target.address + LENGTH - 32, trial.target.lkey))
    trial.receive()


def operational_rows():
    return [
        unusable_row("SEND to a receive with an unknown key", both(bad_receive(), post("SEND"))),
        unusable_row("SEND of 4 packets to a receive with an unknown key", both(bad_receive(BIG), post("SEND", BIG))),
        unusable_row("SEND to a receive without LOCAL_WRITE", both(read_only_receive, post("SEND"))),
        unusable_row("SEND to a receive beyond the end of its memory", both(receive_past_the_end, post("SEND"))),
        Row("SEND of no bytes to a receive with an unknown key", "R11", both(bad_receive(), post("SEND", 0)), sends=["SUCCESS"],
            receives=["SUCCESS"], states=("RTS", "RTS")),
        Row("WRITE_IMM needs no memory of its receive", "R11", both(bad_receive(), post("WRITE_IMM")), sends=["SUCCESS"],
            receives=["SUCCESS"], states=("RTS", "RTS"), target_kept=False),
    ]


def rnr_row(name, act, retries, timer=1, sends=("RNR_RETRY_EXC_ERR",), requests=None, check=None, **more):
    """No receive is ever posted. rdma_rxe adds sequence NAKs for the packets behind; from us none may come."""
    def check_naks(trial):
        syndromes = [nak.syndrome for nak in trial.naks]
        if not trial.responder.agent.peer.is_kernel and SEQUENCE in syndromes:
            raise CaseFailed("a sequence NAK behind an RNR NAK: it costs a kernel requester a retry")
        # rdma_rxe goes back too far when the refused packet is not the first of its message, and collects an extra one.
        surplus = syndromes.count(RNR | timer) - 1 - retries
        text = "NAKs on the wire %s instead of %d RNR NAKs" % (hexadecimal(syndromes), 1 + retries)
        if surplus < 0 or set(syndromes) - {RNR | timer, SEQUENCE}:
            raise CaseFailed(text)
        if surplus > (1 if trial.requester.agent.peer.is_kernel else 0):
            raise Recovered(text)
        if check:
            check(trial)
    return Row(name, "R8 Q8 T6", act, sends=list(sends), states=("ERR", "RTS"), naks=None, requests=requests,
               attributes={"rnr_retry": retries}, responder_attributes={"min_rnr_timer": timer}, check=check_naks,
               explained=("had no receive request for PSN",), **more)


def waited_long_enough(seconds):
    """Rule T8: from an RNR NAK to the next request at least the time it asks for. Of rdma_rxe only the count is checked."""
    def check(trial):
        if trial.requester.agent.peer.is_kernel:
            return
        asked = None
        for frame in trial.tap.collect():
            if frame.is_nak:
                asked = frame.seconds
            elif not frame.is_response and asked is not None:
                if frame.seconds - asked < seconds:
                    raise Recovered("sent again after %.3f ms instead of %.3f ms" % ((frame.seconds - asked) * 1e3, seconds * 1e3))
                asked = None
    return check


def nak_at_last_packet(trial):
    if {(nak.psn - trial.requester.psn) % 2 ** 24 for nak in trial.naks if nak.syndrome != SEQUENCE} != {3}:
        raise CaseFailed("the RNR NAK of a WRITE_IMM belongs to its last packet")


def late_receive(trial):
    """Nothing is ready for a while; then it is."""
    trial.post("SEND")
    trial.wait_for(lambda: len(trial.naks) >= 2, "two RNR NAKs")
    trial.receive()


def rnr_rows():
    rows = [rnr_row("SEND without a receive, rnr_retry %d" % retries, post("SEND"), retries, requests=1 + retries)
            for retries in (0, 1, 3)]
    rows += [
        rnr_row("SEND without a receive waits as long as it is told", post("SEND"), 2, timer=20, requests=3,
                check=waited_long_enough(0.01024)),
        # Long enough that the sequence NAK behind the RNR NAK comes while the requester waits, on a busy machine too.
        rnr_row("SEND of 4 packets without a receive", post("SEND", BIG), 1, timer=20),
        rnr_row("SENDs without a receive", both(post("SEND"), post("SEND"), post("SEND")), 1, timer=20,
                sends=["RNR_RETRY_EXC_ERR", FLUSHED, FLUSHED]),
        rnr_row("WRITE_IMM without a receive", post("WRITE_IMM"), 1, requests=2),
        rnr_row("WRITE_IMM of 4 packets without a receive", post("WRITE_IMM", BIG), 1, timer=20, check=nak_at_last_packet, target_kept=False),
        Row("SEND whose receive comes late, rnr_retry 7", "R8 Q8 T6", late_receive, sends=["SUCCESS"], receives=["SUCCESS"],
            states=("RTS", "RTS"), naks=None, responder_attributes={"min_rnr_timer": 12}, target_kept=False),
    ]
    return rows


def destroyed(trial):
    trial.responder.agent.ask("destroy", name=trial.responder.qp)


def state_of_responder(state):
    def run(trial):
        trial.responder.modify(state)
        trial.responder.agent.collect()
    return run


def spaced(seconds):
    """Rule T1: never sooner than the timeout, but for what the first of two frames was held up on its way out."""
    def check(trial):
        if trial.requester.agent.peer.is_kernel:
            return
        times = [frame.seconds for frame in trial.requests if frame.psn == trial.requester.psn]
        for earlier, later in zip(times, times[1:]):
            if later - earlier < 0.9 * seconds:
                raise Recovered("sent again after %.3f ms, timeout %.3f ms" % ((later - earlier) * 1e3, seconds * 1e3))
    return check


def dead_row(name, act, retries, packets=1, sends=("RETRY_EXC_ERR",), responder_state=None, check=None):
    """Rule T3: 1 + retry_cnt transmissions, then RETRY_EXC_ERR. Timeout code 12 is 16.8 ms."""
    return Row(name, "T3 R13 Q12", act, sends=list(sends), states=("ERR", responder_state), requests=(1 + retries) * packets,
               attributes={"timeout": 12, "retry_cnt": retries}, check=check, explained=("did not answer PSN", "transmissions"))


def timer_rows():
    rows = [dead_row("SEND to a queue pair that is gone, retry_cnt %d" % retries, both(destroyed, post("SEND")), retries,
                     check=spaced(4096e-9 * 2 ** 12)) for retries in (0, 1, 3)]
    rows += [
        dead_row("SEND of 4 packets to a queue pair that is gone", both(destroyed, post("SEND", BIG)), 2, packets=4),
        dead_row("READ from a queue pair that is gone", both(destroyed, post("READ")), 2),
        dead_row("FETCH_ADD at a queue pair that is gone", both(destroyed, post("FETCH_ADD", 8)), 2),
        dead_row("WRITEs to a queue pair in ERROR", both(state_of_responder("ERR"), post("WRITE"), post("WRITE", 0)), 1, packets=2,
                 sends=["RETRY_EXC_ERR", FLUSHED], responder_state="ERR"),
        dead_row("SEND to a queue pair in RESET", both(state_of_responder("RESET"), post("SEND")), 1, responder_state="RESET"),
        Row("timeout 0: sent once, never again, and nothing fails", "T5", unanswered, sends=[FLUSHED], requests=1,
            states=("ERR", None), attributes={"timeout": 0, "retry_cnt": 1}),
    ]
    return rows


def unanswered(trial):
    destroyed(trial)
    trial.post("SEND")
    trial.wait_for(lambda: trial.requests, "the SEND")
    time.sleep(0.3)
    trial.requester.expect_no_more()
    trial.requester.modify("ERR")
    trial.requester.agent.collect()


def local_row(name, act, kernel_status, frames=0, more=(), **options):
    """Rule Q2: local memory that cannot be used. The application sees the status, the wire nothing."""
    return Row(name, "Q2", act, sends=ByRequester(ours=["LOC_PROT_ERR"] + list(more), kernel=[kernel_status] + list(more)),
               events=FATAL_EVENT, states=("ERR", "RTS"), requests=frames, **options)


def from_unknown_memory(opcode, size=64):
    return lambda trial: trial.post(opcode, size, element="raw:%d:%d:%d"
                                    % (trial.source.address, size, trial.source.lkey ^ 0x7ff00))


def past_the_end(opcode):
    return lambda trial: trial.post(opcode, element="raw:%d:64:%d" % (trial.source.address + LENGTH - 32, trial.source.lkey))


def into_read_only(trial):
    trial.post("READ", element=trial.requester.agent.memory(64, access="").element())


def no_bytes_from_nowhere(trial):
    trial.receive(0)
    trial.post("SEND", element="raw:%d:0:%d" % (trial.source.address, trial.source.lkey ^ 0x7ff00))


def local_rows():
    # rdma_rxe looks at the memory of a READ or atomic only when the answer is there.
    late = ByRequester(ours=0, kernel=1)
    return [
        local_row("SEND from unknown memory", from_unknown_memory("SEND"), "LOC_QP_OP_ERR"),
        local_row("SEND of 4 packets from unknown memory", from_unknown_memory("SEND", BIG), "LOC_QP_OP_ERR"),
        local_row("SEND from beyond the end of memory", past_the_end("SEND"), "LOC_PROT_ERR"),
        local_row("WRITE from unknown memory", from_unknown_memory("WRITE"), "LOC_QP_OP_ERR"),
        local_row("READ into unknown memory", from_unknown_memory("READ"), "LOC_PROT_ERR", late),
        local_row("READ into memory without LOCAL_WRITE", into_read_only, "LOC_PROT_ERR", late),
        local_row("FETCH_ADD into unknown memory", from_unknown_memory("FETCH_ADD", 8), "LOC_PROT_ERR", late, target_kept=False),
        local_row("SEND from unknown memory, and more behind it", both(from_unknown_memory("SEND"), post("SEND"), post("WRITE")),
                  "LOC_QP_OP_ERR", more=[FLUSHED, FLUSHED]),
        # A kernel requester stops for good here more often than not.
        Row("SEND from unknown memory behind a good one", "Q2 Q14",
            receives_then([64], both(post("SEND"), from_unknown_memory("SEND"), post("SEND"))),
            sends=["SUCCESS", "LOC_PROT_ERR", FLUSHED], receives=["SUCCESS"], events=FATAL_EVENT, states=("ERR", "RTS"), requests=1,
            only="ours to kernel", target_kept=False),
        Row("SEND of no bytes needs no memory", "Q2", no_bytes_from_nowhere, sends=["SUCCESS"], receives=["SUCCESS"],
            states=("RTS", "RTS")),
    ]


def to_error_with_work(trial):
    """SENDs that wait for a receiver, and receives of the requester's own: all of it is flushed."""
    for _ in range(3):
        trial.post("SEND")
    trial.wait_for(lambda: trial.naks, "an RNR NAK")
    trial.requester.modify("ERR")
    trial.requester.agent.collect()


def post_in_error(trial):
    trial.requester.modify("ERR")
    trial.requester.agent.collect()
    trial.post("SEND")
    trial.post("WRITE")


def receives_to_error(trial):
    for _ in range(3):
        trial.receive()
    trial.responder.modify("ERR")
    trial.responder.agent.collect()


def receives_to_reset(trial):
    for _ in range(3):
        trial.receive()
    trial.responder.modify("RESET")
    trial.responder.agent.collect()


def flush_rows():
    return [
        Row("SENDs under way are flushed in ERROR", "Q12", to_error_with_work, sends=[FLUSHED] * 3, states=("ERR", "RTS"), naks=None,
            responder_attributes={"min_rnr_timer": 31}),
        Row("what is posted in ERROR is flushed", "Q12", post_in_error, sends=[FLUSHED] * 2, states=("ERR", "RTS"), requests=0),
        Row("receives are flushed in ERROR", "Q12", receives_to_error, sends=[], receives=[FLUSHED] * 3, states=("RTS", "ERR")),
        Row("receives vanish in RESET", "Q12", receives_to_reset, sends=[], receives=[], states=("RTS", "RESET")),
    ]


def overflow_receives(trial):
    """As many SENDs as the completion queue has room for, and one more."""
    for _ in range(trial.responder.cq_depth + 1):
        trial.receive()
    for _ in range(trial.responder.cq_depth + 1):
        trial.post("SEND")


def overflow_sends(trial):
    for _ in range(trial.requester.cq_depth + 1):
        trial.post("WRITE")
    last = (trial.requester.psn + trial.requester.cq_depth) % 2 ** 24
    trial.wait_for(lambda: any(frame.psn == last for frame in trial.frames_of(trial.responder)), "the last acknowledgement")


def overflow_rows():
    return [
        Row("the responder's completion queue overflows", "R17", overflow_receives, target_kept=False,
            sends=["SUCCESS", "RETRY_EXC_ERR"], receives=["SUCCESS"], responder_cq=1, responder_events=ByResponder(
                ours=["CQ_ERR", "QP_FATAL"], kernel=["CQ_ERR"]), attributes={"timeout": 17, "retry_cnt": 1}),
        # rdma_rxe loses the completion and goes on.
        Row("the requester's completion queue overflows", "R17", overflow_sends, target_kept=False, sends=["SUCCESS"], requester_cq=1,
            events=ByRequester(ours=["CQ_ERR", "QP_FATAL"], kernel=["CQ_ERR"]), states=(ByRequester(ours="ERR", kernel="RTS"), "RTS")),
    ]


def drained(notify):
    def run(trial):
        trial.receive()
        trial.post("SEND")
        trial.requester.poll(1)
        trial.requester.sends.clear()
        trial.requester.modify("SQD", **({"sqd_notify": 1} if notify else {}))
        trial.requester.agent.collect()
    return run


def drained_late(trial):
    """The event waits for what is under way."""
    trial.post("SEND")
    trial.wait_for(lambda: trial.naks, "an RNR NAK")
    trial.requester.modify("SQD", sqd_notify=1)
    if trial.requester.agent.ask("event", timeout_ms=100)["event"] != "none":
        raise CaseFailed("the event came while a SEND was not acknowledged")
    trial.receive()


def posted_while_drained(trial):
    """What is posted in SQD leaves in RTS; a kernel needs one more request to notice."""
    trial.receive()
    trial.receive()
    trial.requester.modify("SQD", sqd_notify=1)
    trial.post("SEND")
    if trial.requester.agent.ask("event", timeout_ms=2000)["event"] != "SQ_DRAINED":
        raise CaseFailed("no SQ_DRAINED")
    if trial.requests:
        raise CaseFailed("a SEND left in SQD")
    trial.requester.modify("RTS")
    trial.post("SEND")


def drain_rows():
    return [
        Row("SQD raises SQ_DRAINED", "Q13", drained(True), sends=[], receives=["SUCCESS"], events=["SQ_DRAINED"], states=("SQD", "RTS"),
            target_kept=False),
        # rdma_rxe raises it whether it was asked to or not.
        Row("SQD raises nothing when not asked", "Q13", drained(False), sends=[], receives=["SUCCESS"],
            events=ByRequester(ours=[], kernel=["SQ_DRAINED"]), states=("SQD", "RTS"), target_kept=False),
        # rdma_rxe raises it at once, and resends nothing from then on.
        Row("SQ_DRAINED waits for what is under way", "Q13", drained_late, sends=["SUCCESS"], receives=["SUCCESS"],
            events=["SQ_DRAINED"], states=("SQD", "RTS"), naks=None, only="ours to kernel", target_kept=False,
            responder_attributes={"min_rnr_timer": 14}),
        Row("what is posted in SQD is sent in RTS", "Q13", posted_while_drained, sends=["SUCCESS", "SUCCESS"],
            receives=["SUCCESS", "SUCCESS"], states=("RTS", "RTS"), requests=2, target_kept=False),
    ]


def one_at_a_time(trial):
    """Rule Q11: never more READs and atomics unanswered than max_rd_atomic, which is 1 here."""
    for opcode, size in (("READ", 64), ("READ", 3 * IB_MTU), ("FETCH_ADD", 8), ("READ", 64), ("CMP_SWAP", 8), ("FETCH_ADD", 8)):
        trial.requester.send(opcode, trial.scratch.element(0, size), remote=trial.target.address, rkey=trial.target.rkey,
                             **{"FETCH_ADD": {"add": 0}, "CMP_SWAP": {"compare": 0, "swap": 0}}.get(opcode, {}))
    trial.requester.agent.collect()


def never_two(trial):
    last = None
    for frame in trial.tap.collect():
        if frame.is_response:
            if frame.psn == last:
                last = None
        elif frame.opcode in (READ_REQUEST, 0x13, 0x14):
            if last is not None:
                raise CaseFailed("a second READ or atomic left before the first was answered")
            packets = max(1, -(-(frame.length or 0) // IB_MTU))
            last = (frame.psn + packets - 1) % 2 ** 24


def reads(count, size):
    def run(trial):
        for _ in range(count):
            trial.requester.send("READ", trial.scratch.element(0, size), remote=trial.target.address, rkey=trial.target.rkey)
        trial.requester.agent.collect()
    return run


def too_many_reads(trial):
    """How many come through before two are there at once is a matter of time; what follows then is not."""
    reads(8, 2 * IB_MTU)(trial)
    found = [completion.status for completion in trial.requester.poll(8)]
    good = found.count("SUCCESS")
    if found != (["SUCCESS"] * good + ["REM_INV_REQ_ERR"] + [FLUSHED] * 7)[:8]:
        raise CaseFailed("the READs completed as %s" % found)
    if [nak.syndrome for nak in trial.naks] != ([INVALID_REQUEST] if good < 8 else []):
        raise CaseFailed("%d READs were good, and there were the NAKs %s" % (good, [str(nak) for nak in trial.naks]))
    if good < 8 and trial.responder.agent.ask("event", timeout_ms=2000)["event"] != "QP_ACCESS_ERR":
        raise CaseFailed("no QP_ACCESS_ERR")
    trial.requester.sends.clear()


def refused_when_posted(trial):
    """Ours refuses; rdma_rxe takes it and never sends it."""
    if trial.requester.agent.peer.is_kernel:
        trial.post("READ")
        time.sleep(0.2)
        trial.requester.sends.clear()
        return
    try:
        trial.post("READ")
    except AgentError:
        return
    raise CaseFailed("a READ that can never be sent was accepted")


def read_limit_rows():
    return [
        Row("READs and atomics one at a time with max_rd_atomic 1", "Q11", one_at_a_time, sends=["SUCCESS"] * 6, states=("RTS", "RTS"),
            attributes={"max_rd_atomic": 1}, check=never_two),
        Row("max_rd_atomic 0", "Q11", refused_when_posted, sends=[], requests=0, states=("RTS", "RTS"), attributes={"max_rd_atomic": 0}),
        # rdma_rxe overwrites the oldest of its places, which harms nothing while nothing is lost. We refuse.
        Row("more READs than max_dest_rd_atomic", "R7", reads(8, 2 * IB_MTU), sends=["SUCCESS"] * 8, states=("RTS", "RTS"),
            responder_attributes={"max_dest_rd_atomic": 1}, only="ours to kernel"),
        Row("more READs than max_dest_rd_atomic", "R7", too_many_reads, sends=[], naks=None, states=(None, None),
            responder_attributes={"max_dest_rd_atomic": 1}, only="kernel to ours"),
    ]


def cases():
    return cases_of(access_rows() + invalid_rows() + operational_rows() + rnr_rows() + timer_rows() + local_rows() + flush_rows()
                    + overflow_rows() + drain_rows() + read_limit_rows())
