"""Captures and parses the RoCE frames between the peers, on the tap of a peer, where batches are already segmented.

Faults are applied inside the guest, beyond the tap: frames from our NIC are captured before they can be lost, frames
from the kernel only if they were not.
"""

import contextlib
import socket
import struct

ROCE_PORT = 4791
ETH_P_ALL = 3
SNAP_BYTES = 160
BUFFER_BYTES = 64 << 20

READ_REQUEST = 0x0c
READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = 0x0d, 0x0e, 0x0f, 0x10
ACK, ATOMIC_ACK, CMP_SWAP, FETCH_ADD = 0x11, 0x12, 0x13, 0x14
FLUSH, ATOMIC_WRITE = 0x1c, 0x1d
WITH_RETH = (0x06, 0x0a, 0x0b, READ_REQUEST, FLUSH, ATOMIC_WRITE)
WITH_AETH = (READ_FIRST, READ_LAST, READ_ONLY, ACK, ATOMIC_ACK)
RESPONSES = (READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY, ACK, ATOMIC_ACK)

NAMES = dict(zip((*range(0x15), 0x16, 0x17, FLUSH, ATOMIC_WRITE), (
    "SEND_F SEND_M SEND_L SEND_LI SEND_O SEND_OI WR_F WR_M WR_L WR_LI WR_O WR_OI RD_REQ RR_F RR_M RR_L RR_O "
    "ACK AACK CAS FADD SEND_LINV SEND_OINV FLUSH AWR").split()))


class Frame:
    """One RoCE packet. Fields that its opcode does not have are None."""

    def __init__(self, seconds, source, transport):
        self.seconds = seconds
        self.source = source
        (self.opcode, _, _, qpn, psn) = struct.unpack_from(">BBHII", transport)
        self.qpn = qpn & 0xffffff
        self.ack_requested = bool(psn >> 31)
        self.psn = psn & 0xffffff
        self.syndrome = self.msn = self.length = None
        if self.opcode in WITH_AETH:
            (aeth,) = struct.unpack_from(">I", transport, 12)
            self.syndrome, self.msn = aeth >> 24, aeth & 0xffffff
        elif self.opcode in WITH_RETH:
            # Behind address and key; the FETH of a FLUSH lies before it.
            (self.length,) = struct.unpack_from(">I", transport, 28 if self.opcode == FLUSH else 24)

    @property
    def source_gid(self):
        """32 hex digits, as agents write it."""
        return socket.inet_pton(socket.AF_INET6, self.source if ":" in self.source else "::ffff:" + self.source).hex()

    @property
    def is_response(self):
        return self.opcode in RESPONSES

    @property
    def is_nak(self):
        return self.opcode == ACK and self.syndrome >> 5 != 0

    def __str__(self):
        text = "%s %06x" % (NAMES.get(self.opcode, "op%02x" % self.opcode), self.psn)
        if self.syndrome is not None:
            text += " s=%02x m=%x" % (self.syndrome, self.msn)
        if self.length is not None:
            text += " len %d" % self.length
        return text + (" A" if self.ack_requested and not self.is_response else "")


class FrameTap(contextlib.AbstractContextManager):
    """Captures frames from its creation on. They queue in the socket, so no thread has to run. At the end a log gets them."""

    def __init__(self, interface, log=None, address=None):
        self._log, self._address = log, address
        # Of no protocol, and so without frames of other interfaces, until it is bound.
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        # SO_RCVBUFFORCE and SO_TIMESTAMPNS have no names in Python 3.11.
        self._socket.setsockopt(socket.SOL_SOCKET, 33, BUFFER_BYTES)
        self._socket.setsockopt(socket.SOL_SOCKET, 35, 1)
        self._socket.bind((interface, ETH_P_ALL))
        self._socket.setblocking(False)
        self.frames = []

    def __exit__(self, *_):
        if self._log is not None:
            self._log.add("frames on the wire", describe(self.collect(), self._address))
        self._socket.close()

    def collect(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                data, [(_, _, time)], *_ = self._socket.recvmsg(SNAP_BYTES, 64)
                seconds, nanoseconds = struct.unpack("qq", time)
                frame = parse(seconds + nanoseconds / 1e9, data)
                if frame is not None:
                    self.frames.append(frame)
        return self.frames


def parse(seconds, data):
    (kind,) = struct.unpack_from(">H", data, 12)
    if kind == 0x0800 and data[23] == socket.IPPROTO_UDP:
        source = socket.inet_ntop(socket.AF_INET, data[26:30])
        udp = 14 + 4 * (data[14] & 15)
    elif kind == 0x86dd and data[20] == socket.IPPROTO_UDP:
        source = socket.inet_ntop(socket.AF_INET6, data[22:38])
        udp = 54
    else:
        return None
    if len(data) < udp + 20 or struct.unpack_from(">H", data, udp + 2)[0] != ROCE_PORT:
        return None
    return Frame(seconds, source, data[udp + 8:].ljust(36, b"\0"))


def describe(frames, address):
    """One line for each frame, with an arrow for its direction as seen from `address`."""
    start = frames[0].seconds if frames else 0
    return ["%9.3f ms %s %s" % ((frame.seconds - start) * 1000, "->" if frame.source == address else "<-", frame)
            for frame in frames]


def count_retransmitted(frames, address):
    """Number of request packets from an address whose PSN had been sent before."""
    psns = [frame.psn for frame in frames if frame.source == address and not frame.is_response]
    return len(psns) - len(set(psns))
