"""The commands of the verbs agent, on pyverbs. One object per connection; the client chooses all names."""

import hashlib
import os
import select
import socket
import time

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR, inc_rkey

from pattern import pattern

COUNTERS = "/sys/class/infiniband/%s/ports/1/hw_counters"

ACCESS = {"local_write": e.IBV_ACCESS_LOCAL_WRITE, "remote_write": e.IBV_ACCESS_REMOTE_WRITE,
          "remote_read": e.IBV_ACCESS_REMOTE_READ, "remote_atomic": e.IBV_ACCESS_REMOTE_ATOMIC,
          "mw_bind": e.IBV_ACCESS_MW_BIND, "zero_based": e.IBV_ACCESS_ZERO_BASED}

# Only rdma-core 45 and later know them.
for word in ("flush_global", "flush_persistent"):
    if hasattr(e, "IBV_ACCESS_" + word.upper()):
        ACCESS[word] = getattr(e, "IBV_ACCESS_" + word.upper())

TYPES = {"RC": e.IBV_QPT_RC, "UC": e.IBV_QPT_UC, "UD": e.IBV_QPT_UD}

STATES = {"RESET": e.IBV_QPS_RESET, "INIT": e.IBV_QPS_INIT, "RTR": e.IBV_QPS_RTR, "RTS": e.IBV_QPS_RTS,
          "SQD": e.IBV_QPS_SQD, "SQE": e.IBV_QPS_SQE, "ERR": e.IBV_QPS_ERR}

OPCODES = {"SEND": e.IBV_WR_SEND, "SEND_IMM": e.IBV_WR_SEND_WITH_IMM, "SEND_INV": e.IBV_WR_SEND_WITH_INV,
           "WRITE": e.IBV_WR_RDMA_WRITE, "WRITE_IMM": e.IBV_WR_RDMA_WRITE_WITH_IMM, "READ": e.IBV_WR_RDMA_READ,
           "CMP_SWAP": e.IBV_WR_ATOMIC_CMP_AND_SWP, "FETCH_ADD": e.IBV_WR_ATOMIC_FETCH_AND_ADD,
           "LOCAL_INV": e.IBV_WR_LOCAL_INV}

FLAGS = {"signaled": e.IBV_SEND_SIGNALED, "solicited": e.IBV_SEND_SOLICITED, "fence": e.IBV_SEND_FENCE,
         "inline": e.IBV_SEND_INLINE}

COMPLETIONS = {e.IBV_WC_SEND: "SEND", e.IBV_WC_RDMA_WRITE: "WRITE", e.IBV_WC_RDMA_READ: "READ",
               e.IBV_WC_COMP_SWAP: "CMP_SWAP", e.IBV_WC_FETCH_ADD: "FETCH_ADD", e.IBV_WC_RECV: "RECV",
               e.IBV_WC_RECV_RDMA_WITH_IMM: "RECV_WRITE_IMM", e.IBV_WC_BIND_MW: "BIND_MW", e.IBV_WC_LOCAL_INV: "LOCAL_INV"}

# Requests that only an extended queue pair takes, and the flag that it must be created with.
EXTENDED = {word: getattr(e, "IBV_QP_EX_WITH_" + word) for word in ("ATOMIC_WRITE", "FLUSH") if hasattr(e, "IBV_QP_EX_WITH_" + word)}
COMPLETIONS.update({getattr(e, "IBV_WC_" + word): word for word in EXTENDED})

WINDOWS = {"1": e.IBV_MW_TYPE_1, "2": e.IBV_MW_TYPE_2}

# ibv_wc_status in its numeric order.
STATUSES = ("SUCCESS LOC_LEN_ERR LOC_QP_OP_ERR LOC_EEC_OP_ERR LOC_PROT_ERR WR_FLUSH_ERR MW_BIND_ERR BAD_RESP_ERR "
            "LOC_ACCESS_ERR REM_INV_REQ_ERR REM_ACCESS_ERR REM_OP_ERR RETRY_EXC_ERR RNR_RETRY_EXC_ERR "
            "LOC_RDD_VIOL_ERR REM_INV_RD_REQ_ERR REM_ABORT_ERR INV_EECN_ERR INV_EEC_STATE_ERR FATAL_ERR "
            "RESP_TIMEOUT_ERR GENERAL_ERR").split()

# ibv_event_type in its numeric order.
EVENTS = ("CQ_ERR QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST SQ_DRAINED PATH_MIG PATH_MIG_ERR DEVICE_FATAL "
          "PORT_ACTIVE PORT_ERR LID_CHANGE PKEY_CHANGE SM_CHANGE SRQ_ERR SRQ_LIMIT_REACHED QP_LAST_WQE_REACHED "
          "CLIENT_REREGISTER GID_CHANGE").split()

MTUS = {256: e.IBV_MTU_256, 512: e.IBV_MTU_512, 1024: e.IBV_MTU_1024, 2048: e.IBV_MTU_2048, 4096: e.IBV_MTU_4096}


def number(text):
    return int(text, 0)


def bits(table, text):
    """'a,b' becomes the bitwise OR of the table's values; an empty text or 'none' is 0."""
    value = 0
    for word in text.split(","):
        if word and word != "none":
            value |= table[word]
    return value


def gid_text(digits):
    """32 hex digits in the notation of pyverbs."""
    return ":".join(digits[i:i + 4] for i in range(0, 32, 4))


def infiniband_event_files():
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + name) == "anon_inode:[infinibandevent]":
                found.add(int(name))
        except OSError:
            pass
    return found


class VerbsSession:
    def __init__(self, device, gid_index):
        self._device = device
        self._gid_index = gid_index
        before = infiniband_event_files()
        self._context = Context(name=device)
        # get_async_event blocks the whole interpreter, so do_event polls this file first.
        self._event_file = (infiniband_event_files() - before).pop()
        self._pd = PD(self._context)
        self._empty = MR(self._pd, 8, e.IBV_ACCESS_LOCAL_WRITE)
        self._objects = {}

    def close(self):
        # Kernel 6.1 waits for ever when it destroys a queue pair that a window of type 2 is bound to.
        for kinds in ((MW,), (QP,), (AH,), (SRQ,), (CQ,), (MR,), (PD,)):
            for thing in [thing for thing in self._objects.values() if isinstance(thing, kinds)]:
                thing.close()
        self._objects.clear()
        self._empty.close()
        self._pd.close()
        self._context.close()

    def do_open(self, _):
        """Returns what a peer must know about this device."""
        gid = str(self._context.query_gid(1, self._gid_index)).replace(":", "")
        return {"gid": gid, "mtu": 128 << self._context.query_port(1).active_mtu, "kind": "kernel"}

    def do_pd(self, arguments):
        self._objects[arguments["name"]] = PD(self._context)

    def _pd_of(self, arguments):
        return self._objects[arguments["pd"]] if "pd" in arguments else self._pd

    def do_mr(self, arguments):
        length = number(arguments["length"])
        mr = MR(self._pd_of(arguments), length, bits(ACCESS, arguments["access"]))
        self._objects[arguments["name"]] = mr
        if "seed" in arguments:
            mr.write(pattern(number(arguments["seed"]), length), length)
        else:
            mr.write(bytes(length), length)
        return {"addr": mr.buf, "lkey": mr.lkey, "rkey": mr.rkey}

    def do_fill(self, arguments):
        """Writes the pattern of `seed`, from its start, to a range."""
        length = number(arguments["length"])
        self._objects[arguments["name"]].write(pattern(number(arguments["seed"]), length), length,
                                               number(arguments["offset"]))

    def do_write(self, arguments):
        data = bytes.fromhex(arguments["data"])
        self._objects[arguments["name"]].write(data, len(data), number(arguments["offset"]))

    def do_read(self, arguments):
        return {"data": self._read(arguments).hex()}

    def do_hash(self, arguments):
        return {"sha256": hashlib.sha256(self._read(arguments)).hexdigest()}

    def _read(self, arguments):
        return self._objects[arguments["name"]].read(number(arguments["length"]), number(arguments["offset"]))

    def do_mw(self, arguments):
        window = MW(self._pd_of(arguments), WINDOWS[arguments["type"]])
        self._objects[arguments["name"]] = window
        return {"rkey": window.rkey}

    def do_bind(self, arguments):
        """Posts a binding, by verb or by work request as the type of the window asks, and returns the new key."""
        qp, window = self._objects[arguments["name"]], self._objects[arguments["mw"]]
        mr = self._objects[arguments["mr"]]
        length = number(arguments["length"])
        info = MWBindInfo(mr, mr.buf + number(arguments["offset"]) if length else 0, length, bits(ACCESS, arguments["access"]))
        request = number(arguments["wr_id"])
        if window.type == e.IBV_MW_TYPE_1:
            qp.bind_mw(window, MWBind(info, e.IBV_SEND_SIGNALED, request))
            return {"rkey": window.rkey}
        work = SendWR(wr_id=request, opcode=e.IBV_WR_BIND_MW, num_sge=0, send_flags=e.IBV_SEND_SIGNALED)
        # The new key is the next one. A second binding would need the first key, which pyverbs cannot set.
        work.set_bind_wr(window, info)
        qp.post_send(work)
        return {"rkey": inc_rkey(window.rkey)}

    def do_resize(self, arguments):
        self._objects[arguments["name"]].resize(number(arguments["depth"]))

    def do_cq(self, arguments):
        cq = CQ(self._context, number(arguments["depth"]))
        self._objects[arguments["name"]] = cq
        return {"depth": cq.cqe}

    def do_srq(self, arguments):
        attributes = SrqAttr(max_wr=number(arguments["depth"]), max_sge=number(arguments.get("sge", "1")))
        self._objects[arguments["name"]] = SRQ(self._pd_of(arguments), SrqInitAttr(attributes))

    def do_srq_limit(self, arguments):
        self._objects[arguments["name"]].modify(SrqAttr(srq_limit=number(arguments["limit"])), e.IBV_SRQ_LIMIT)

    def do_qp(self, arguments):
        cap = QPCap(max_send_wr=number(arguments.get("send_wr", "16")), max_recv_wr=number(arguments.get("recv_wr", "16")),
                    max_send_sge=number(arguments.get("send_sge", "1")), max_recv_sge=number(arguments.get("recv_sge", "1")),
                    max_inline_data=number(arguments.get("inline", "0")))
        send_cq = self._objects[arguments["cq"]]
        recv_cq = self._objects[arguments.get("recv_cq", arguments["cq"])]
        srq = self._objects[arguments["srq"]] if "srq" in arguments else None
        common = dict(qp_type=TYPES[arguments.get("type", "RC")], scq=send_cq, rcq=recv_cq, srq=srq, cap=cap,
                      sq_sig_all=number(arguments.get("sig_all", "0")))
        if "extended" in arguments:
            init = QPInitAttrEx(comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, pd=self._pd_of(arguments),
                                send_ops_flags=bits(EXTENDED, arguments["extended"]), **common)
            qp = QPEx(self._context, init)
        else:
            qp = QP(self._pd_of(arguments), QPInitAttr(**common))
        self._objects[arguments["name"]] = qp
        return {"qpn": qp.qp_num}

    def do_modify(self, arguments):
        """Sets exactly the attributes that are named, so that a case can also test a wrong set."""
        attributes = QPAttr(qp_state=STATES[arguments["state"]])
        mask = e.IBV_QP_STATE
        for key, bit, name in (("qkey", e.IBV_QP_QKEY, "qkey"), ("dest_qpn", e.IBV_QP_DEST_QPN, "dest_qp_num"),
                               ("rq_psn", e.IBV_QP_RQ_PSN, "rq_psn"), ("sq_psn", e.IBV_QP_SQ_PSN, "sq_psn"),
                               ("max_dest_rd_atomic", e.IBV_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic"),
                               ("max_rd_atomic", e.IBV_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic"),
                               ("min_rnr_timer", e.IBV_QP_MIN_RNR_TIMER, "min_rnr_timer"),
                               ("timeout", e.IBV_QP_TIMEOUT, "timeout"), ("retry_cnt", e.IBV_QP_RETRY_CNT, "retry_cnt"),
                               ("rnr_retry", e.IBV_QP_RNR_RETRY, "rnr_retry"), ("port", e.IBV_QP_PORT, "port_num"),
                               ("pkey_index", e.IBV_QP_PKEY_INDEX, "pkey_index"),
                               ("sqd_notify", e.IBV_QP_EN_SQD_ASYNC_NOTIFY, "en_sqd_async_notify")):
            if key in arguments:
                setattr(attributes, name, number(arguments[key]))
                mask |= bit
        if "access" in arguments:
            attributes.qp_access_flags = bits(ACCESS, arguments["access"])
            mask |= e.IBV_QP_ACCESS_FLAGS
        if "mtu" in arguments:
            attributes.path_mtu = MTUS[number(arguments["mtu"])]
            mask |= e.IBV_QP_PATH_MTU
        if "dest_gid" in arguments:
            attributes.ah_attr = self._address(arguments["dest_gid"])
            mask |= e.IBV_QP_AV
        self._objects[arguments["name"]].modify(attributes, mask)

    def _address(self, gid):
        route = GlobalRoute(dgid=GID(gid_text(gid)), sgid_index=self._gid_index)
        route.hop_limit = 64
        return AHAttr(port_num=1, is_global=1, gr=route)

    def do_ah(self, arguments):
        self._objects[arguments["name"]] = AH(self._pd_of(arguments), attr=self._address(arguments["dest_gid"]))

    def do_query(self, arguments):
        attributes, _ = self._objects[arguments["name"]].query(e.IBV_QP_STATE | e.IBV_QP_SQ_PSN | e.IBV_QP_RQ_PSN)
        names = {value: name for name, value in STATES.items()}
        return {"state": names[attributes.qp_state], "sq_psn": attributes.sq_psn, "rq_psn": attributes.rq_psn}

    def _elements(self, text):
        """'mr:offset:length,raw:address:length:lkey,...' as scatter/gather elements."""
        if not text:
            # pyverbs requires an element: one of length 0 has the same effect as none.
            return [SGE(self._empty.buf, 0, self._empty.lkey)]
        elements = []
        for item in text.split(","):
            words = item.split(":")
            if words[0] == "raw":
                elements.append(SGE(number(words[1]), number(words[2]), number(words[3])))
            else:
                mr = self._objects[words[0]]
                elements.append(SGE(mr.buf + number(words[1]), number(words[2]), mr.lkey))
        return elements

    def do_recv(self, arguments):
        elements = self._elements(arguments.get("sge", ""))
        request = RecvWR(wr_id=number(arguments["wr_id"]), num_sge=len(elements), sg=elements)
        self._objects[arguments["name"]].post_recv(request)

    def do_send(self, arguments):
        if arguments["opcode"] in EXTENDED:
            self._send_extended(arguments)
            return
        elements = self._elements(arguments.get("sge", ""))
        opcode = OPCODES[arguments["opcode"]]
        request = SendWR(wr_id=number(arguments["wr_id"]), opcode=opcode, num_sge=len(elements), sg=elements,
                         send_flags=bits(FLAGS, arguments.get("flags", "signaled")))
        if "imm" in arguments:
            # pyverbs passes the number on in host byte order; the wire is big-endian.
            request.imm_data = socket.htonl(number(arguments["imm"]))
        if "inv_rkey" in arguments:
            # pyverbs has no name for it; the key shares a field with the immediate data.
            request.imm_data = number(arguments["inv_rkey"])
        if arguments["opcode"] in ("CMP_SWAP", "FETCH_ADD"):
            # FETCH_ADD and CMP_SWAP share fields: the addend is in that of the compare value.
            first = number(arguments["add" if "add" in arguments else "compare"])
            request.set_wr_atomic(number(arguments["rkey"]), number(arguments["remote"]), first,
                                  number(arguments.get("swap", "0")))
        elif "remote" in arguments:
            request.set_wr_rdma(number(arguments["rkey"]), number(arguments["remote"]))
        if "ah" in arguments:
            request.set_wr_ud(self._objects[arguments["ah"]], number(arguments["dest_qpn"]), number(arguments["qkey"]))
        self._objects[arguments["name"]].post_send(request)

    def _send_extended(self, arguments):
        qp = self._objects[arguments["name"]]
        key, address = number(arguments["rkey"]), number(arguments["remote"])
        qp.wr_start()
        qp.wr_id = number(arguments["wr_id"])
        qp.wr_flags = bits(FLAGS, arguments.get("flags", "signaled"))
        if arguments["opcode"] == "FLUSH":
            qp.wr_flush(key, address, number(arguments["length"]), number(arguments["type"]), number(arguments["level"]))
        else:
            qp.wr_atomic_write(key, address, self._gathered(arguments["sge"]))
        qp.wr_complete()

    def _gathered(self, text):
        """The bytes of elements in the agent's notation."""
        return b"".join(self._objects[name].read(number(length), number(offset))
                        for name, offset, length in (item.split(":") for item in text.split(",")))

    def do_poll(self, arguments):
        """Returns `count` completions, or as many as arrived within `timeout_ms`."""
        cq = self._objects[arguments["name"]]
        count = number(arguments["count"])
        deadline = time.monotonic() + number(arguments["timeout_ms"]) / 1000
        found = []
        while True:
            polled, completions = cq.poll(min(16, max(1, count - len(found))))
            found += completions
            if len(found) >= count or (not polled and time.monotonic() >= deadline):
                break
            if not polled:
                time.sleep(0.0005)
        result = {"n": len(found)}
        for index, completion in enumerate(found):
            result["wc%d" % index] = completion_text(completion)
        return result

    def do_event(self, arguments):
        """Returns the next asynchronous event, or 'none' when there is none within `timeout_ms`."""
        ready, _, _ = select.select([self._event_file], [], [], number(arguments["timeout_ms"]) / 1000)
        if not ready:
            return {"event": "none"}
        event = self._context.get_async_event()
        kind = event.event_type
        event.ack()
        return {"event": EVENTS[kind]}

    def do_counters(self, _):
        folder = COUNTERS % self._device
        counters = {}
        for name in sorted(os.listdir(folder)):
            if name != "lifespan":
                with open(os.path.join(folder, name), encoding="ascii") as file:
                    counters[name] = file.read().strip()
        return counters

    def do_destroy(self, arguments):
        self._objects.pop(arguments["name"]).close()


def completion_text(completion):
    """wr_id:status:opcode:byte_len:imm:qpn; after an error only wr_id, status and qpn are defined."""
    failed = completion.status != e.IBV_WC_SUCCESS
    immediate = "-"
    if not failed and completion.wc_flags & e.IBV_WC_WITH_IMM:
        immediate = "0x%08x" % socket.ntohl(completion.imm_data)
    return "%d:%s:%s:%d:%s:%d" % (completion.wr_id, STATUSES[completion.status],
                                  "-" if failed else COMPLETIONS.get(completion.opcode, str(completion.opcode)),
                                  0 if failed else completion.byte_len, immediate, completion.qp_num)
