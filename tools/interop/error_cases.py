"""The error matrix: rules R9 to R14 and Q2 to Q12 of the reliability rules, our NIC against a kernel peer in both roles."""

import time

from cases import CaseFailed, Recovered
from error_scenario import (ALL_ACCESS, IB_MTU, INVALID_REQUEST, LENGTH, REMOTE_ACCESS, REMOTE_OPERATIONAL, RNR, SEQUENCE,
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
    """Refused for its key, range or access rights, without consuming a receive."""
    values = dict(sends=["REM_ACCESS_ERR"], naks=[REMOTE_ACCESS], responder_events=ACCESS_EVENT)
    values.update(more)
    return Row(name, rules, act, **values)


def invalid_row(name, act, rules="R9 R12 Q9", **more):
    """Refused as an invalid request, without consuming a receive."""
    values = dict(sends=["REM_INV_REQ_ERR"], naks=[INVALID_REQUEST], responder_events=REQUEST_EVENT)
    values.update(more)
    return Row(name, rules, act, **values)


def without(flag):
    return ",".join(word for word in ALL_ACCESS.split(",") if word != flag)


def no_read_data(scenario):
    """Rule R14: a READ that fails a check returns no data at all."""
    responses = [frame for frame in scenario.frames_of(scenario.responder) if frame.opcode in RESPONSES and not frame.is_nak]
    if responses:
        raise CaseFailed("data was sent before the NAK: %s" % [str(frame) for frame in responses])


def access_rows():
    rows = []
    for opcode, size in (("WRITE", 64), ("WRITE", BIG), ("READ", 64), ("READ", BIG), ("FETCH_ADD", 8), ("CMP_SWAP", 8)):
        what = opcode + (" of 4 packets" if size == BIG else "")
        check = no_read_data if opcode == "READ" else None
        rows.append(access_row("%s with an unknown key" % what, "%s %d key=unknown" % (opcode, size), check=check))
        rows.append(access_row("%s half beyond the end" % what, "%s %d at=%d" % (opcode, size, LENGTH if size == 8 else LENGTH - size // 2),
                               check=check, rules="R10 R12 R14 Q9" if check else "R10 R12 Q9"))
    rows += [
        access_row("WRITE with a wrong key byte", "WRITE key=wrong-byte"),
        access_row("WRITE before the start", "WRITE at=-8"),
        access_row("WRITE beyond 64 bits", "WRITE 128 at=end-of-address-space"),
        access_row("WRITE into another domain", "WRITE key=of-other-domain"),
        access_row("WRITE into destroyed memory", "WRITE key=destroyed"),
        access_row("WRITE into memory without REMOTE_WRITE", "WRITE", mr_access=without("remote_write")),
        access_row("READ from memory without REMOTE_READ", "READ", mr_access=without("remote_read"), check=no_read_data),
        access_row("FETCH_ADD on memory without REMOTE_ATOMIC", "FETCH_ADD 8", mr_access=without("remote_atomic")),
        # The receive is consumed before the key is checked only where one packet carries both.
        access_row("WRITE_IMM with an unknown key", "receive; receive; WRITE_IMM key=unknown", receives=["REM_ACCESS_ERR", FLUSHED],
                   responder_events=[]),
        access_row("WRITE_IMM of 4 packets with an unknown key", "receive; receive; WRITE_IMM %d key=unknown" % BIG,
                   receives=[FLUSHED, FLUSHED]),
        access_row("WRITE with an unknown key, followed by a SEND", "receive; receive; WRITE key=unknown; SEND", rules="R13 Q9 Q12",
                   sends=["REM_ACCESS_ERR", FLUSHED], receives=[FLUSHED, FLUSHED]),
        # rdma_rxe acknowledges a SEND whose key it cannot invalidate, although the responder fails.
        Row("SEND_INV of an unknown key", "R10 R12", "receive; receive; SEND_INV",
            sends=ByResponder(ours=["REM_ACCESS_ERR"], kernel=["SUCCESS"]), naks=ByResponder(ours=[REMOTE_ACCESS], kernel=[]),
            receives=ByResponder(ours=["REM_ACCESS_ERR", FLUSHED], kernel=["REM_INV_REQ_ERR", FLUSHED]),
            states=(ByResponder(ours="ERR", kernel="RTS"), "ERR"), target_kept=False),
    ]
    for opcode in ("WRITE", "READ", "WRITE_IMM"):
        receives = ["SUCCESS"] if opcode == "WRITE_IMM" else []
        rows.append(Row("%s of no bytes with an unknown key" % opcode, "R10", ("receive; " if receives else "") + opcode + " 0 key=unknown",
                        sends=["SUCCESS"], receives=receives, states=("RTS", "RTS")))
    return rows


def too_long_row(name, act, receives, sends=1):
    """rdma_rxe reports a SEND that is too long as an operational error of the responder."""
    flushed = [FLUSHED] * (sends - 1)
    return Row(name, "R9 R12", act, target_kept=False,
               sends=ByResponder(ours=["REM_INV_REQ_ERR"] + flushed, kernel=["REM_OP_ERR"] + flushed),
               receives=ByResponder(ours=["LOC_LEN_ERR"] + receives, kernel=["LOC_QP_OP_ERR"] + receives),
               naks=ByResponder(ours=[INVALID_REQUEST], kernel=[REMOTE_OPERATIONAL]))


def invalid_rows():
    rows = []
    for opcode, flag in (("WRITE", "remote_write"), ("READ", "remote_read"), ("FETCH_ADD", "remote_atomic"),
                         ("CMP_SWAP", "remote_atomic")):
        size = 8 if flag == "remote_atomic" else 64
        for length, what in ((size, ""), (0, " of no bytes"))[:1 if size == 8 else 2]:
            rows.append(invalid_row("%s%s to a queue pair without %s" % (opcode, what, flag.upper()), "%s %d" % (opcode, length),
                                    qp_access=without(flag)))
    rows += [
        invalid_row("WRITE_IMM to a queue pair without REMOTE_WRITE", "receive; WRITE_IMM",
                    qp_access=without("remote_write"), receives=[FLUSHED]),
        invalid_row("READ where max_dest_rd_atomic is 0", "READ", rules="R7 R9", responder_events=ACCESS_EVENT,
                    responder_attributes={"max_dest_rd_atomic": 0}),
        invalid_row("FETCH_ADD where max_dest_rd_atomic is 0", "FETCH_ADD 8", rules="R7 R9", responder_events=ACCESS_EVENT,
                    responder_attributes={"max_dest_rd_atomic": 0}),
        too_long_row("SEND longer than its receive", "receive 32; receive; SEND", [FLUSHED]),
        too_long_row("SEND_IMM longer than its receive", "receive 32; SEND_IMM", []),
        too_long_row("SEND longer than its receive, followed by more", "receive 32; receive; receive; SEND; SEND; SEND", [FLUSHED, FLUSHED],
                     sends=3),
        too_long_row("SEND of 4 packets, its receive ends in the third", "receive %d; SEND %d" % (2 * IB_MTU, BIG), []),
        too_long_row("SEND of 4 packets, its receive ends in the first", "receive 100; SEND %d" % BIG, []),
        # rdma_rxe does not check the packet length of a SEND.
        Row("SEND in packets longer than the responder's path MTU", "R9 R12", "receive 4096; SEND 3000",
            sends=ByResponder(ours=["REM_INV_REQ_ERR"], kernel=["SUCCESS"]), naks=ByResponder(ours=[INVALID_REQUEST], kernel=[]),
            receives=ByResponder(ours=["REM_INV_REQ_ERR"], kernel=["SUCCESS"]), responder_mtu=256, target_kept=False,
            states=(ByResponder(ours="ERR", kernel="RTS"),) * 2),
        invalid_row("WRITE in packets longer than the responder's path MTU", "WRITE 3000", responder_mtu=256),
        Row("atomics at odd addresses are refused when posted", "R9", misaligned, sends=[], states=("RTS", "RTS"), requests=0),
    ]
    return rows


def misaligned(scenario):
    for opcode in ("FETCH_ADD", "CMP_SWAP"):
        try:
            scenario.post(opcode, 8, at=4)
        except AgentError:
            continue
        raise CaseFailed("%s at an odd address was accepted" % opcode)


def unusable_row(name, act, flushed=1):
    """A receive that cannot be used. rdma_rxe reports LOC_QP_OP_ERR whatever the cause."""
    rest = [FLUSHED] * flushed
    return Row(name, "R11 R12 Q9", act, sends=["REM_OP_ERR"], naks=[REMOTE_OPERATIONAL],
               receives=ByResponder(ours=["LOC_PROT_ERR"] + rest, kernel=["LOC_QP_OP_ERR"] + rest))


def operational_rows():
    return [
        unusable_row("SEND to a receive with an unknown key", "receive memory=unknown; receive; SEND"),
        unusable_row("SEND of 4 packets to a receive with an unknown key", "receive %d memory=unknown; receive; SEND %d" % (BIG, BIG)),
        unusable_row("SEND to a receive without LOCAL_WRITE", "receive memory=read-only; receive; SEND"),
        unusable_row("SEND to a receive beyond the end of its memory", "receive memory=past-the-end; receive; SEND"),
        Row("SEND of no bytes to a receive with an unknown key", "R11", "receive memory=unknown; receive; SEND 0", sends=["SUCCESS"],
            receives=["SUCCESS"], states=("RTS", "RTS")),
        Row("WRITE_IMM needs no memory of its receive", "R11", "receive memory=unknown; receive; WRITE_IMM", sends=["SUCCESS"],
            receives=["SUCCESS"], states=("RTS", "RTS"), target_kept=False),
    ]


def rnr_row(name, act, retries, timer=1, sends=("RNR_RETRY_EXC_ERR",), requests=None, check=None, **more):
    """No receive is ever posted. rdma_rxe adds sequence NAKs for the packets that follow; we must send none."""
    def check_naks(scenario):
        syndromes = [nak.syndrome for nak in scenario.naks]
        if not scenario.responder.agent.peer.is_kernel and SEQUENCE in syndromes:
            raise CaseFailed("a sequence NAK after an RNR NAK: it costs a kernel requester a retry")
        # rdma_rxe goes back too far when the refused packet is not the first of its message, and provokes one more NAK.
        surplus = syndromes.count(RNR | timer) - 1 - retries
        text = "NAKs on the wire %s instead of %d RNR NAKs" % (hexadecimal(syndromes), 1 + retries)
        if surplus < 0 or set(syndromes) - {RNR | timer, SEQUENCE}:
            raise CaseFailed(text)
        if surplus > (1 if scenario.requester.agent.peer.is_kernel else 0):
            raise Recovered(text)
        if check:
            check(scenario)
    return Row(name, "R8 Q8 T6", act, sends=list(sends), states=("ERR", "RTS"), naks=None, requests=requests,
               attributes={"rnr_retry": retries}, responder_attributes={"min_rnr_timer": timer}, check=check_naks,
               explained=("had no receive request for PSN",), **more)


def waits_for_rnr_timer(seconds):
    """Rule T8: after an RNR NAK no request is sent before its timer has expired. Of rdma_rxe only the count is checked."""
    def check(scenario):
        if scenario.requester.agent.peer.is_kernel:
            return
        nak_seconds = None
        for frame in scenario.tap.collect():
            if frame.is_nak:
                nak_seconds = frame.seconds
            elif not frame.is_response and nak_seconds is not None:
                if frame.seconds - nak_seconds < seconds:
                    raise Recovered("retransmitted after %.3f ms instead of %.3f ms" % ((frame.seconds - nak_seconds) * 1e3, seconds * 1e3))
                nak_seconds = None
    return check


def nak_at_last_packet(scenario):
    if {(nak.psn - scenario.requester.psn) % 2 ** 24 for nak in scenario.naks if nak.syndrome != SEQUENCE} != {3}:
        raise CaseFailed("an RNR NAK of a WRITE_IMM has another PSN than that of its last packet")


def late_receive(scenario):
    """Posts the receive only after two RNR NAKs."""
    scenario.post("SEND")
    scenario.wait_for(lambda: len(scenario.naks) >= 2, "two RNR NAKs")
    scenario.receive()


def rnr_rows():
    rows = [rnr_row("SEND without a receive, rnr_retry %d" % retries, "SEND", retries, requests=1 + retries) for retries in (0, 1, 3)]
    return rows + [
        rnr_row("SEND without a receive waits for the RNR timer", "SEND", 2, timer=20, requests=3, check=waits_for_rnr_timer(0.01024)),
        # Long enough that the sequence NAK after the RNR NAK arrives during the RNR wait, even on a busy machine.
        rnr_row("SEND of 4 packets without a receive", "SEND %d" % BIG, 1, timer=20),
        rnr_row("SENDs without a receive", "SEND; SEND; SEND", 1, timer=20, sends=["RNR_RETRY_EXC_ERR", FLUSHED, FLUSHED]),
        rnr_row("WRITE_IMM without a receive", "WRITE_IMM", 1, requests=2),
        rnr_row("WRITE_IMM of 4 packets without a receive", "WRITE_IMM %d" % BIG, 1, timer=20, check=nak_at_last_packet, target_kept=False),
        Row("SEND whose receive is posted late, rnr_retry 7", "R8 Q8 T6", late_receive, sends=["SUCCESS"], receives=["SUCCESS"],
            states=("RTS", "RTS"), naks=None, responder_attributes={"min_rnr_timer": 12}, target_kept=False),
    ]


def spaced(seconds):
    """Rule T1: no retransmission before the timeout. The first of two frames may have been delayed on its way out: 10 % less passes."""
    def check(scenario):
        if scenario.requester.agent.peer.is_kernel:
            return
        times = [frame.seconds for frame in scenario.requests if frame.psn == scenario.requester.psn]
        for earlier, later in zip(times, times[1:]):
            if later - earlier < 0.9 * seconds:
                raise Recovered("retransmitted after %.3f ms, timeout %.3f ms" % ((later - earlier) * 1e3, seconds * 1e3))
    return check


def dead_row(name, act, retries, packets=1, sends=("RETRY_EXC_ERR",), responder_state=None, check=None):
    """Rule T3: 1 + retry_cnt transmissions, then RETRY_EXC_ERR. Timeout code 12 is 16.8 ms."""
    return Row(name, "T3 R13 Q12", act, sends=list(sends), states=("ERR", responder_state), requests=(1 + retries) * packets,
               attributes={"timeout": 12, "retry_cnt": retries}, check=check, explained=("did not answer PSN", "transmissions"))


def timer_rows():
    rows = [dead_row("SEND to a destroyed queue pair, retry_cnt %d" % retries, "peer gone; SEND", retries, check=spaced(4096e-9 * 2 ** 12))
            for retries in (0, 1, 3)]
    return rows + [
        dead_row("SEND of 4 packets to a destroyed queue pair", "peer gone; SEND %d" % BIG, 2, packets=4),
        dead_row("READ from a destroyed queue pair", "peer gone; READ", 2),
        dead_row("FETCH_ADD at a destroyed queue pair", "peer gone; FETCH_ADD 8", 2),
        dead_row("WRITEs to a queue pair in ERROR", "peer ERR; WRITE; WRITE 0", 1, packets=2, sends=["RETRY_EXC_ERR", FLUSHED],
                 responder_state="ERR"),
        dead_row("SEND to a queue pair in RESET", "peer RESET; SEND", 1, responder_state="RESET"),
        Row("timeout 0: sent once, never retransmitted, and nothing fails", "T5", unanswered, sends=[FLUSHED], requests=1,
            states=("ERR", None), attributes={"timeout": 0, "retry_cnt": 1}),
    ]


def unanswered(scenario):
    scenario.perform("peer gone; SEND")
    scenario.wait_for(lambda: scenario.requests, "the SEND")
    time.sleep(0.3)
    scenario.requester.expect_no_more()
    scenario.requester.move("ERR")


def local_row(name, act, kernel_status, frames=0, more=(), **options):
    """Rule Q2: invalid local memory. The request completes with an error and nothing is sent."""
    return Row(name, "Q2", act, sends=ByRequester(ours=["LOC_PROT_ERR"] + list(more), kernel=[kernel_status] + list(more)),
               events=FATAL_EVENT, states=("ERR", "RTS"), requests=frames, **options)


def local_rows():
    # rdma_rxe checks the memory of a READ or atomic only when the response arrives.
    late = ByRequester(ours=0, kernel=1)
    return [
        local_row("SEND from unknown memory", "SEND memory=unknown", "LOC_QP_OP_ERR"),
        local_row("SEND of 4 packets from unknown memory", "SEND %d memory=unknown" % BIG, "LOC_QP_OP_ERR"),
        local_row("SEND from beyond the end of memory", "SEND memory=past-the-end", "LOC_PROT_ERR"),
        local_row("WRITE from unknown memory", "WRITE memory=unknown", "LOC_QP_OP_ERR"),
        local_row("READ into unknown memory", "READ memory=unknown", "LOC_PROT_ERR", late),
        local_row("READ into memory without LOCAL_WRITE", "READ memory=read-only", "LOC_PROT_ERR", late),
        local_row("FETCH_ADD into unknown memory", "FETCH_ADD 8 memory=unknown", "LOC_PROT_ERR", late, target_kept=False),
        local_row("SEND from unknown memory, followed by more", "SEND memory=unknown; SEND; WRITE", "LOC_QP_OP_ERR", more=[FLUSHED, FLUSHED]),
        # A kernel requester usually hangs here.
        Row("SEND from unknown memory after a valid one", "Q2 Q14", "receive; SEND; SEND memory=unknown; SEND",
            sends=["SUCCESS", "LOC_PROT_ERR", FLUSHED], receives=["SUCCESS"], events=FATAL_EVENT, states=("ERR", "RTS"), requests=1,
            only="ours to kernel", target_kept=False),
        Row("SEND of no bytes needs no memory", "Q2", "receive 0; SEND 0 memory=unknown", sends=["SUCCESS"], receives=["SUCCESS"],
            states=("RTS", "RTS")),
    ]


def flush_rows():
    return [
        # SENDs in an RNR wait.
        Row("outstanding SENDs are flushed in ERROR", "Q12", "SEND; SEND; SEND; nak; own ERR", sends=[FLUSHED] * 3, states=("ERR", "RTS"),
            naks=None, responder_attributes={"min_rnr_timer": 31}),
        Row("requests posted in ERROR are flushed", "Q12", "own ERR; SEND; WRITE", sends=[FLUSHED] * 2, states=("ERR", "RTS"), requests=0),
        Row("receives are flushed in ERROR", "Q12", "receive; receive; receive; peer ERR", sends=[], receives=[FLUSHED] * 3,
            states=("RTS", "ERR")),
        Row("receives vanish in RESET", "Q12", "receive; receive; receive; peer RESET", sends=[], receives=[], states=("RTS", "RESET")),
    ]


def overflow_receives(scenario):
    """As many SENDs as the completion queue has room for, and one more."""
    for _ in range(scenario.responder.cq_depth + 1):
        scenario.receive()
    for _ in range(scenario.responder.cq_depth + 1):
        scenario.post("SEND")


def overflow_sends(scenario):
    for _ in range(scenario.requester.cq_depth + 1):
        scenario.post("WRITE")
    last = (scenario.requester.psn + scenario.requester.cq_depth) % 2 ** 24
    scenario.wait_for(lambda: any(frame.psn == last for frame in scenario.frames_of(scenario.responder)), "the last acknowledgement")


def overflow_rows():
    return [
        Row("the responder's completion queue overflows", "R17", overflow_receives, target_kept=False,
            sends=lambda scenario: ["SUCCESS"] * scenario.responder.cq_depth + ["RETRY_EXC_ERR"],
            receives=lambda scenario: ["SUCCESS"] * scenario.responder.cq_depth, responder_cq=1, responder_events=ByResponder(
                ours=["CQ_ERR", "QP_FATAL"], kernel=["CQ_ERR"]), attributes={"timeout": 17, "retry_cnt": 1}),
        # rdma_rxe loses the completion and continues.
        Row("the requester's completion queue overflows", "R17", overflow_sends, target_kept=False, requester_cq=1,
            sends=lambda scenario: ["SUCCESS"] * scenario.requester.cq_depth,
            events=ByRequester(ours=["CQ_ERR", "QP_FATAL"], kernel=["CQ_ERR"]), states=(ByRequester(ours="ERR", kernel="RTS"), "RTS")),
    ]


def drained(notify):
    def run(scenario):
        scenario.receive()
        scenario.post("SEND")
        scenario.requester.poll(1)
        scenario.requester.sends.clear()
        scenario.requester.move("SQD", **({"sqd_notify": 1} if notify else {}))
    return run


def drained_late(scenario):
    """The event is raised only after outstanding requests have completed."""
    scenario.post("SEND")
    scenario.wait_for(lambda: scenario.naks, "an RNR NAK")
    scenario.requester.move("SQD", sqd_notify=1)
    if scenario.requester.agent.execute("event", timeout_ms=100)["event"] != "none":
        raise CaseFailed("SQ_DRAINED was raised while a SEND was unacknowledged")
    scenario.receive()


def posted_while_drained(scenario):
    """Requests posted in SQD are sent in RTS; a kernel sends them only when one more is posted."""
    scenario.receive()
    scenario.receive()
    scenario.requester.move("SQD", sqd_notify=1)
    scenario.post("SEND")
    if scenario.requester.agent.execute("event", timeout_ms=2000)["event"] != "SQ_DRAINED":
        raise CaseFailed("no SQ_DRAINED")
    if scenario.requests:
        raise CaseFailed("a SEND was sent in SQD")
    scenario.requester.move("RTS")
    scenario.post("SEND")


def drain_rows():
    return [
        Row("SQD raises SQ_DRAINED", "Q13", drained(True), sends=[], receives=["SUCCESS"], events=["SQ_DRAINED"], states=("SQD", "RTS"),
            target_kept=False),
        # rdma_rxe raises it whether or not sqd_notify is set.
        Row("SQD raises nothing without sqd_notify", "Q13", drained(False), sends=[], receives=["SUCCESS"],
            events=ByRequester(ours=[], kernel=["SQ_DRAINED"]), states=("SQD", "RTS"), target_kept=False),
        # rdma_rxe raises it at once, and retransmits nothing from then on.
        Row("SQ_DRAINED waits for outstanding requests", "Q13", drained_late, sends=["SUCCESS"], receives=["SUCCESS"],
            events=["SQ_DRAINED"], states=("SQD", "RTS"), naks=None, only="ours to kernel", target_kept=False,
            responder_attributes={"min_rnr_timer": 14}),
        Row("requests posted in SQD are sent in RTS", "Q13", posted_while_drained, sends=["SUCCESS", "SUCCESS"],
            receives=["SUCCESS", "SUCCESS"], states=("RTS", "RTS"), requests=2, target_kept=False),
    ]


def one_at_a_time(scenario):
    """Rule Q11: no more READs and atomics outstanding than max_rd_atomic, which is 1 here."""
    for opcode, size in (("READ", 64), ("READ", 3 * IB_MTU), ("FETCH_ADD", 8), ("READ", 64), ("CMP_SWAP", 8), ("FETCH_ADD", 8)):
        scenario.requester.send(opcode, scenario.scratch.element(0, size), remote=scenario.target.address, rkey=scenario.target.rkey,
                             **{"FETCH_ADD": {"add": 0}, "CMP_SWAP": {"compare": 0, "swap": 0}}.get(opcode, {}))
    scenario.requester.agent.collect()


def never_two(scenario):
    last = None
    for frame in scenario.tap.collect():
        if frame.is_response:
            if frame.psn == last:
                last = None
        elif frame.opcode in (READ_REQUEST, 0x13, 0x14):
            if last is not None:
                raise CaseFailed("a second READ or atomic was sent while the first was outstanding")
            packets = max(1, -(-(frame.length or 0) // IB_MTU))
            last = (frame.psn + packets - 1) % 2 ** 24


def reads(count, size):
    def run(scenario):
        for _ in range(count):
            scenario.requester.send("READ", scenario.scratch.element(0, size), remote=scenario.target.address, rkey=scenario.target.rkey)
        scenario.requester.agent.collect()
    return run


def too_many_reads(scenario):
    """How many READs succeed before two arrive together depends on timing; what happens then does not."""
    reads(8, 2 * IB_MTU)(scenario)
    found = [completion.status for completion in scenario.requester.poll(8)]
    good = found.count("SUCCESS")
    if found != (["SUCCESS"] * good + ["REM_INV_REQ_ERR"] + [FLUSHED] * 7)[:8]:
        raise CaseFailed("the READs completed as %s" % found)
    if [nak.syndrome for nak in scenario.naks] != ([INVALID_REQUEST] if good < 8 else []):
        raise CaseFailed("%d READs succeeded, and the NAKs were %s" % (good, [str(nak) for nak in scenario.naks]))
    if good < 8 and scenario.responder.agent.execute("event", timeout_ms=2000)["event"] != "QP_ACCESS_ERR":
        raise CaseFailed("no QP_ACCESS_ERR")
    scenario.requester.sends.clear()


def refused_when_posted(scenario):
    """Our NIC refuses the request; rdma_rxe accepts it and never sends it."""
    if scenario.requester.agent.peer.is_kernel:
        scenario.post("READ")
        time.sleep(0.2)
        scenario.requester.sends.clear()
        return
    try:
        scenario.post("READ")
    except AgentError:
        return
    raise CaseFailed("a READ that can never be sent was accepted")


def read_limit_rows():
    return [
        Row("READs and atomics one at a time with max_rd_atomic 1", "Q11", one_at_a_time, sends=["SUCCESS"] * 6, states=("RTS", "RTS"),
            attributes={"max_rd_atomic": 1}, check=never_two),
        Row("max_rd_atomic 0", "Q11", refused_when_posted, sends=[], requests=0, states=("RTS", "RTS"), attributes={"max_rd_atomic": 0}),
        # rdma_rxe overwrites its oldest responder resource, which is harmless while nothing is lost. Our NIC refuses.
        Row("more READs than max_dest_rd_atomic", "R7", reads(8, 2 * IB_MTU), sends=["SUCCESS"] * 8, states=("RTS", "RTS"),
            responder_attributes={"max_dest_rd_atomic": 1}, only="ours to kernel"),
        Row("more READs than max_dest_rd_atomic", "R7", too_many_reads, sends=[], naks=None, states=(None, None),
            responder_attributes={"max_dest_rd_atomic": 1}, only="kernel to ours"),
    ]


def cases():
    return cases_of(access_rows() + invalid_rows() + operational_rows() + rnr_rows() + timer_rows() + local_rows() + flush_rows()
                    + overflow_rows() + drain_rows() + read_limit_rows())
