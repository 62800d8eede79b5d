"""The verbs agent, on pyverbs: executes commands that arrive as text lines on a TCP connection. README.md describes the lines.

It runs on a kernel peer, and unchanged on our NIC (tools/rxe run). The objects that a connection created are destroyed when it ends.
"""

import argparse
import contextlib
import hashlib
import os
import random
import select
import socket
import struct
import sys
import time
import traceback

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.wr import SGE, RecvWR, SendWR, inc_rkey

HW_COUNTERS = "/sys/class/infiniband/rxe0/ports/1/hw_counters/"


def named(prefix, *words):
    """{word in lower or upper case: value of pyverbs}, without what only a later rdma-core knows."""
    return {word: getattr(e, prefix + word.upper()) for word in words if hasattr(e, prefix + word.upper())}


ACCESS = named("IBV_ACCESS_", "local_write", "remote_write", "remote_read", "remote_atomic", "mw_bind", "zero_based", "flush_global",
               "flush_persistent", "on_demand")
OPCODES = {"SEND": e.IBV_WR_SEND, "SEND_IMM": e.IBV_WR_SEND_WITH_IMM, "SEND_INV": e.IBV_WR_SEND_WITH_INV, "WRITE": e.IBV_WR_RDMA_WRITE,
           "WRITE_IMM": e.IBV_WR_RDMA_WRITE_WITH_IMM, "READ": e.IBV_WR_RDMA_READ, "CMP_SWAP": e.IBV_WR_ATOMIC_CMP_AND_SWP,
           "FETCH_ADD": e.IBV_WR_ATOMIC_FETCH_AND_ADD, "LOCAL_INV": e.IBV_WR_LOCAL_INV}
FLAGS = named("IBV_SEND_", "signaled", "fence")
COMPLETIONS = {e.IBV_WC_SEND: "SEND", e.IBV_WC_RDMA_WRITE: "WRITE", e.IBV_WC_RDMA_READ: "READ", e.IBV_WC_COMP_SWAP: "CMP_SWAP",
               e.IBV_WC_FETCH_ADD: "FETCH_ADD", e.IBV_WC_RECV: "RECV", e.IBV_WC_RECV_RDMA_WITH_IMM: "RECV_WRITE_IMM",
               e.IBV_WC_BIND_MW: "BIND_MW", e.IBV_WC_LOCAL_INV: "LOCAL_INV"}
# Requests that only an extended queue pair takes, and the flag that it must be created with.
EXTENDED = named("IBV_QP_EX_WITH_", "ATOMIC_WRITE", "FLUSH")
COMPLETIONS.update({getattr(e, "IBV_WC_" + word): word for word in EXTENDED})
# Attributes whose field in pyverbs, or whose bit of the mask, has another name than in a line.
FIELDS = {"dest_qpn": "dest_qp_num", "port": "port_num", "sqd_notify": "en_sqd_async_notify"}
MASKS = {"max_rd_atomic": "MAX_QP_RD_ATOMIC", "sqd_notify": "EN_SQD_ASYNC_NOTIFY"}
# Their values look like decimal numbers.
TEXTS = ("data", "dest_gid")


def bits(table, text):
    """'a,b' becomes the bitwise OR of the table's values; an empty text or 'none' is 0."""
    return sum(table[word] for word in set(text.split(",")) - {"", "none"})


class Device:
    """The context of all connections."""

    def __init__(self, gid_index):
        before = infiniband_event_files()
        self.context = Context(name="rxe0")
        self.gid_index = gid_index
        # get_async_event blocks the whole interpreter, so do_event polls this file first. Our NIC has one descriptor for both.
        self.event_file = ((infiniband_event_files() - before) or {self.context.cmd_fd}).pop()

    def counters(self):
        """Those of the kernel's device, or the counters that our NIC keeps in a file (CounterLayout.java)."""
        if os.path.isdir(HW_COUNTERS):
            return {name: int(read(HW_COUNTERS + name)) for name in os.listdir(HW_COUNTERS) if name != "lifespan"}
        paths = [os.path.join(folder, "rxe-%d" % os.getuid(), "%d.counters" % os.getpid())
                 for folder in (os.environ.get("XDG_RUNTIME_DIR") or "/tmp", "/tmp")]
        data = read(next(path for path in paths if os.path.exists(path)), "rb")
        counters, values = {}, 4096 + struct.unpack_from("=i", data, 12)[0]
        for index in range((values - 4096) // 512):
            state, family = struct.unpack_from("=ii", data, 4096 + 512 * index)
            if state == 1 and family in (4791, 4792):
                length, = struct.unpack_from("=i", data, 4096 + 512 * index + 128)
                label = data[4096 + 512 * index + 132:][:length].decode().split()[-1]
                counters[label] = struct.unpack_from("=q", data, values + 128 * index)[0]
        return counters


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def infiniband_event_files():
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink("/proc/self/fd/" + name) == "anon_inode:[infinibandevent]":
                found.add(int(name))
    return found


class Session:
    """The commands of one connection. The client chooses all names."""

    def __init__(self, device):
        self._device = device
        self._pd = PD(device.context)
        self._empty = MR(self._pd, 8, e.IBV_ACCESS_LOCAL_WRITE)
        self._objects = {}

    def close(self):
        # Kernel 6.1 waits for ever when it destroys a queue pair that a window of type 2 is bound to.
        for kinds in ((MW,), (QP,), (CQ,), (MR,), (PD,)):
            for thing in [thing for thing in self._objects.values() if isinstance(thing, kinds)]:
                thing.close()
        self._objects.clear()
        self._empty.close()
        self._pd.close()

    def do_open(self):
        gid = str(self._device.context.query_gid(1, self._device.gid_index)).replace(":", "")
        return {"gid": gid, "mtu": 128 << self._device.context.query_port(1).active_mtu}

    def do_pd(self, name):
        self._objects[name] = PD(self._device.context)

    def do_mr(self, name, length, access, seed=None, pd=None):
        mr = MR(self._objects[pd] if pd else self._pd, length, bits(ACCESS, access))
        self._objects[name] = mr
        mr.write(bytes(length) if seed is None else random.Random(seed).randbytes(length), length)
        return {"addr": mr.buf, "lkey": mr.lkey, "rkey": mr.rkey}

    def do_rereg(self, name, access):
        self._objects[name].rereg(e.IBV_REREG_MR_CHANGE_ACCESS, self._pd, 0, 0, bits(ACCESS, access))

    def do_write(self, name, offset, data):
        data = bytes.fromhex(data)
        self._objects[name].write(data, len(data), offset)

    def do_read(self, name, offset, length):
        return {"data": self._objects[name].read(length, offset).hex()}

    def do_hash(self, name, offset, length):
        return {"sha256": hashlib.sha256(self._objects[name].read(length, offset)).hexdigest()}

    def do_mw(self, name, type):
        self._objects[name] = MW(self._pd, e.IBV_MW_TYPE_1 if type == 1 else e.IBV_MW_TYPE_2)

    def do_bind(self, name, wr_id, mw, mr, offset, length, access):
        """Posts a binding, by verb or by work request as the type of the window asks, and returns the new key."""
        qp, window, mr = self._objects[name], self._objects[mw], self._objects[mr]
        info = MWBindInfo(mr, mr.buf + offset if length else 0, length, bits(ACCESS, access))
        if window.type == e.IBV_MW_TYPE_1:
            qp.bind_mw(window, MWBind(info, e.IBV_SEND_SIGNALED, wr_id))
            return {"rkey": window.rkey}
        work = SendWR(wr_id=wr_id, opcode=e.IBV_WR_BIND_MW, num_sge=0, send_flags=e.IBV_SEND_SIGNALED)
        # The new key is the next one. A second binding would need the first key, which pyverbs cannot set.
        work.set_bind_wr(window, info)
        qp.post_send(work)
        return {"rkey": inc_rkey(window.rkey)}

    def do_cq(self, name, depth):
        self._objects[name] = CQ(self._device.context, depth)
        return {"depth": self._objects[name].cqe}

    def do_resize(self, name, depth):
        self._objects[name].resize(depth)

    def do_qp(self, name, cq, wr, sge, extended=None):
        cap = QPCap(max_send_wr=wr, max_recv_wr=wr, max_send_sge=sge, max_recv_sge=sge)
        common = dict(qp_type=e.IBV_QPT_RC, scq=self._objects[cq], rcq=self._objects[cq], cap=cap, sq_sig_all=0)
        if extended:
            init = QPInitAttrEx(comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, pd=self._pd,
                                send_ops_flags=bits(EXTENDED, extended), **common)
            qp = QPEx(self._device.context, init)
        else:
            qp = QP(self._pd, QPInitAttr(**common))
        self._objects[name] = qp
        return {"qpn": qp.qp_num}

    def do_modify(self, name, state, access=None, mtu=None, dest_gid=None, **values):
        attributes = QPAttr(qp_state=e.ibv_qp_state["IBV_QPS_" + state])
        mask = e.IBV_QP_STATE
        for key, value in values.items():
            setattr(attributes, FIELDS.get(key, key), value)
            mask |= getattr(e, "IBV_QP_" + MASKS.get(key, key.upper()))
        if access is not None:
            attributes.qp_access_flags = bits(ACCESS, access)
            mask |= e.IBV_QP_ACCESS_FLAGS
        if mtu:
            attributes.path_mtu = mtu.bit_length() - 8
            mask |= e.IBV_QP_PATH_MTU
        if dest_gid:
            gid = GID(":".join(dest_gid[i:i + 4] for i in range(0, 32, 4)))
            route = GlobalRoute(dgid=gid, sgid_index=self._device.gid_index)
            route.hop_limit = 64
            attributes.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
            mask |= e.IBV_QP_AV
        self._objects[name].modify(attributes, mask)

    def do_query(self, name):
        state = e.ibv_qp_state(self._objects[name].query(e.IBV_QP_STATE)[0].qp_state)
        return {"state": state.name.removeprefix("IBV_QPS_")}

    def _elements(self, text):
        """'mr:offset:length,raw:address:length:lkey,...' as scatter/gather elements."""
        # pyverbs requires an element: one of length 0 has the same effect as none.
        elements = [] if text else [SGE(self._empty.buf, 0, self._empty.lkey)]
        for words in (item.split(":") for item in text.split(",") if text):
            if words[0] == "raw":
                elements.append(SGE(*map(int, words[1:])))
            else:
                mr = self._objects[words[0]]
                elements.append(SGE(mr.buf + int(words[1]), int(words[2]), mr.lkey))
        return elements

    def do_recv(self, name, wr_id, sge=""):
        elements = self._elements(sge)
        self._objects[name].post_recv(RecvWR(wr_id=wr_id, num_sge=len(elements), sg=elements))

    def do_send(self, name, wr_id, opcode, sge="", flags="signaled", remote=None, rkey=None, imm=None, inv_rkey=None, **more):
        qp = self._objects[name]
        if opcode in EXTENDED:
            qp.wr_start()
            qp.wr_id, qp.wr_flags = wr_id, bits(FLAGS, flags)
            if opcode == "FLUSH":
                qp.wr_flush(rkey, remote, more["length"], more["type"], more["level"])
            else:
                mr, offset, length = sge.split(":")
                qp.wr_atomic_write(rkey, remote, self._objects[mr].read(int(length), int(offset)))
            qp.wr_complete()
            return
        elements = self._elements(sge)
        request = SendWR(wr_id=wr_id, opcode=OPCODES[opcode], num_sge=len(elements), sg=elements, send_flags=bits(FLAGS, flags))
        if imm is not None:
            # pyverbs passes the number on in host byte order; the wire is big-endian.
            request.imm_data = socket.htonl(imm)
        if inv_rkey is not None:
            # pyverbs has no name for it; the key shares a field with the immediate data.
            request.imm_data = inv_rkey
        if opcode in ("CMP_SWAP", "FETCH_ADD"):
            # They share fields: the addend is in that of the compare value.
            request.set_wr_atomic(rkey, remote, more.get("add", more.get("compare")), more.get("swap", 0))
        elif remote is not None:
            request.set_wr_rdma(rkey, remote)
        qp.post_send(request)

    def do_poll(self, name, count, timeout_ms):
        """Returns `count` completions, or as many as arrived within `timeout_ms`."""
        deadline = time.monotonic() + timeout_ms / 1000
        found, polled = [], True
        while len(found) < count and (polled or time.monotonic() < deadline):
            time.sleep(0 if polled else 0.0005)
            polled, completions = self._objects[name].poll(min(16, count - len(found)))
            found += completions
        return dict([("n", len(found))] + [("wc%d" % index, completion_text(one)) for index, one in enumerate(found)])

    def do_event(self, timeout_ms):
        """Returns the next asynchronous event, or 'none' when there is none within `timeout_ms`."""
        if not select.select([self._device.event_file], [], [], timeout_ms / 1000)[0]:
            return {"event": "none"}
        event = self._device.context.get_async_event()
        event.ack()
        return {"event": e.ibv_event_type(event.event_type).name.removeprefix("IBV_EVENT_")}

    def do_counters(self):
        return self._device.counters()

    def do_destroy(self, name):
        self._objects.pop(name).close()


def completion_text(completion):
    """wr_id:status:opcode:byte_len:imm; after an error only wr_id and status are defined."""
    if completion.status != e.IBV_WC_SUCCESS:
        return "%d:%s:-:0:-" % (completion.wr_id, e.ibv_wc_status(completion.status).name.removeprefix("IBV_WC_"))
    immediate = str(socket.ntohl(completion.imm_data)) if completion.wc_flags & e.IBV_WC_WITH_IMM else "-"
    return "%d:SUCCESS:%s:%d:%s" % (completion.wr_id, COMPLETIONS[completion.opcode], completion.byte_len, immediate)


def execute(session, line):
    try:
        command, *words = line.split()
        pairs = (word.split("=", 1) for word in words)
        arguments = {key: int(value) if value.isdecimal() and key not in TEXTS else value for key, value in pairs}
        result = getattr(session, "do_" + command)(**arguments)
        return " ".join(["ok"] + ["%s=%s" % item for item in (result or {}).items()])
    except Exception as error:  # The client decides whether it expected it.
        if type(error).__name__ not in ("PyverbsRDMAError", "PyverbsUserError", "PyverbsError"):
            traceback.print_exc()
        return "error %s: %s" % (type(error).__name__, " ".join(str(error).split()))


def serve(connection, device):
    with contextlib.closing(Session(device)) as session:
        try:
            with connection, connection.makefile("r", encoding="ascii", newline="\n") as lines:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for line in lines:
                    connection.sendall(execute(session, line).encode("ascii", "replace") + b"\n")
        except OSError as error:
            print("the connection broke: %s" % error, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", type=int, required=True)
    parser.add_argument("-g", dest="gid_index", type=int, default=1)
    arguments = parser.parse_args()
    device = Device(arguments.gid_index)
    with socket.create_server(("", arguments.listen), backlog=4) as server:
        while True:
            serve(server.accept()[0], device)


if __name__ == "__main__":
    main()
