"""Two connected queue pairs, one on each agent, for the scripted cases."""

from cases import CaseFailed

ALL_ACCESS = "local_write,remote_write,remote_read,remote_atomic"

# With a long timeout only real losses are retransmitted: timeout code 18 is 1.07 s.
LONG_TIMEOUT = {"timeout": 18, "retry_cnt": 7, "rnr_retry": 7}


class ConnectedQueuePair:
    """One queue pair with its completion queue, and the ids of the requests posted to it, in order."""

    def __init__(self, agent, psn, access=ALL_ACCESS, cq_depth=256, **caps):
        self.agent = agent
        self.psn = psn
        self.cq = agent.name("cq")
        self.qp = agent.name("qp")
        self._access = access
        self._next_id = 1
        self.sends = []
        self.receives = []
        self.cq_depth = int(agent.execute("cq", name=self.cq, depth=cq_depth)["depth"])
        options = dict(send_wr=64, recv_wr=64, send_sge=8, recv_sge=8, type="RC")
        options.update(caps)
        self.qpn = int(agent.execute("qp", name=self.qp, cq=self.cq, **options)["qpn"])

    def connect(self, other, mtu, **attributes):
        """Takes the queue pair from RESET to RTS; `attributes` replace the defaults."""
        values = dict(LONG_TIMEOUT, max_rd_atomic=8, max_dest_rd_atomic=8, min_rnr_timer=12, rq_psn=other.psn, sq_psn=self.psn)
        values.update(attributes)
        self.modify("INIT", pkey_index=0, port=1, access=self._access)
        self.modify("RTR", dest_gid=other.agent.gid, dest_qpn=other.qpn, mtu=mtu, rq_psn=values["rq_psn"],
                    max_dest_rd_atomic=values["max_dest_rd_atomic"], min_rnr_timer=values["min_rnr_timer"])
        self.modify("RTS", sq_psn=values["sq_psn"], timeout=values["timeout"], retry_cnt=values["retry_cnt"],
                    rnr_retry=values["rnr_retry"], max_rd_atomic=values["max_rd_atomic"])
        self.agent.collect()

    def modify(self, state, **attributes):
        """Changes the state; the reply is read with the next command."""
        self.agent.submit("modify", name=self.qp, state=state, **attributes)

    def _take_id(self):
        self._next_id += 1
        return self._next_id - 1

    def local_id(self):
        """The id of a request that is posted with another command."""
        return self._take_id()

    def recv(self, *elements):
        """Posts a receive; the reply is read with the next command. Returns the request id."""
        request = self._take_id()
        self.receives.append(request)
        self.agent.submit("recv", name=self.qp, wr_id=request, sge=",".join(elements))
        return request

    def send(self, opcode, *elements, **values):
        """Posts a send request of any kind; the reply is read with the next command. Returns its id."""
        request = self._take_id()
        self.sends.append(request)
        self.agent.submit("send", name=self.qp, wr_id=request, opcode=opcode, sge=",".join(elements), **values)
        return request

    def poll(self, count, timeout_seconds=20):
        return self.agent.poll(self.cq, count, timeout_seconds)

    def expect(self, wanted, timeout_seconds=20):
        """Polls one completion for each (id, opcode, length, immediate) in order; None means any value.

        All must be successful.
        """
        found = self.poll(len(wanted), timeout_seconds)
        for completion, (request, opcode, length, immediate) in zip(found, wanted):
            if completion.status != "SUCCESS":
                raise CaseFailed("%s: request %d ended with %s" % (self.agent.peer.name, completion.id, completion.status))
            for what, actual, want in (("request id", completion.id, request), ("opcode", completion.opcode, opcode),
                                         ("byte_len", completion.length, length),
                                         ("immediate data", completion.immediate, immediate)):
                if want is not None and actual != want:
                    raise CaseFailed("%s: completion of request %d has %s %s instead of %s"
                                     % (self.agent.peer.name, request, what, actual, want))

    def expect_no_more(self):
        """Fails when there is an unexpected completion."""
        reply = self.agent.execute("poll", name=self.cq, count=1, timeout_ms=0)
        if int(reply["n"]):
            raise CaseFailed("%s: unexpected completion: %s" % (self.agent.peer.name, reply["wc0"]))

    def state(self):
        return self.agent.execute("query", name=self.qp)["state"]


def connect(requester_agent, responder_agent, mtu, caps=None, access=ALL_ACCESS, **attributes):
    """Two connected queue pairs. Both initial PSNs are just below the wrap at 2^24."""
    requester = ConnectedQueuePair(requester_agent, 0xfffff0, access, **(caps or {}))
    responder = ConnectedQueuePair(responder_agent, 0xfffff9, access, **(caps or {}))
    requester.connect(responder, mtu, **attributes)
    responder.connect(requester, mtu, **attributes)
    return requester, responder
