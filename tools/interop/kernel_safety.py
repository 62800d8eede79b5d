"""Checks what is sent to a kernel requester: some responses make it complete a READ or an atomic with missing data.

Kernel 6.1 accepts each of these in place of the response it waits for: a bare ACK, NAK or RNR NAK inside a READ whose
response has begun; a bare ACK or RNR NAK at the PSN of an atomic or of a READ of one packet. Some kernels crash over an opcode
that they do not know.
"""

import ctypes
import socket
import struct

from cases import CaseFailed
from wire import (ACK, ATOMIC_WRITE, CMP_SWAP, ETH_P_ALL, FETCH_ADD, FLUSH, READ_FIRST, READ_LAST, READ_MIDDLE, READ_ONLY, READ_REQUEST,
                  ROCE_PORT, SNAP_BYTES, parse)

READ_RESPONSES = (READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY)
# Path MTU of the checked connections; a READ uses one PSN for each response.
MTU = 1024


def check_harmless(frames, kernel_address):
    """Fails when a frame sent to the kernel could make it report success for missing data."""
    singles, reads, begun = set(), {}, set()
    for frame in frames:
        if frame.source == kernel_address:
            if frame.opcode in (CMP_SWAP, FETCH_ADD, ATOMIC_WRITE, FLUSH):
                singles.add(frame.psn)
            elif frame.opcode == READ_REQUEST:
                count = max(1, -(-frame.length // MTU))
                if count == 1:
                    singles.add(frame.psn)
                for index in range(count):
                    reads.setdefault((frame.psn + index) & 0xffffff, frame.psn)
        elif frame.opcode in READ_RESPONSES:
            if frame.psn in reads:
                begun.add(reads[frame.psn])
            if frame.syndrome is not None and frame.syndrome >> 5:
                raise CaseFailed("sent to a kernel: a READ response with a NAK syndrome (%s)" % frame)
        elif frame.opcode == ACK:
            if frame.psn in singles and frame.syndrome >> 5 != 3:
                raise CaseFailed("sent to a kernel: a bare ACK for a READ or atomic (%s)" % frame)
            if reads.get(frame.psn) in begun:
                raise CaseFailed("sent to a kernel: a bare ACK inside a READ (%s)" % frame)


SO_ATTACH_FILTER = 26
LOAD_BYTE, LOAD_HALF, LOAD_INDEX, LOAD_BYTE_X, LOAD_HALF_X, EQUAL, AT_LEAST, RETURN = 0x30, 0x28, 0xb1, 0x50, 0x48, 0x15, 0x35, 0x06
# The ranges of opcodes that kernel 6.1 knows, RC, UC and UD: first and last.
KNOWN_TO_OLDER = ((0x00, 0x14), (0x16, 0x17), (0x20, 0x2b), (0x64, 0x65))


class UnknownOpcodeWatch:
    """Watches what the peer with kernel 6.1 is sent, from beginning to end: never an opcode that it does not know.

    A filter in the socket lets only those pass, so nothing has to run.
    """

    def __init__(self, peer):
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        last_byte = peer.guest.index + 1
        code = unknown_opcodes(last_byte)
        program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
        self._socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", len(code), ctypes.addressof(program)))
        self._socket.bind((peer.tap, ETH_P_ALL))
        self._socket.setblocking(False)

    def check(self):
        try:
            frame = parse(0.0, self._socket.recv(SNAP_BYTES))
        except BlockingIOError:
            return
        raise CaseFailed("sent to a kernel that does not know its opcode: %s" % frame)

    def close(self):
        self._socket.close()


def unknown_opcodes(last_byte):
    """A classic BPF program: RoCE packets to an address with this last byte, of an opcode that kernel 6.1 does not know."""
    known = []
    for first, last in reversed(KNOWN_TO_OLDER):
        known += [(AT_LEAST, "accept", None, last + 1), (AT_LEAST, "reject", None, first)]
    lines = [(LOAD_HALF, None, None, 12), (EQUAL, "v4", None, 0x0800), (EQUAL, "v6", "reject", 0x86dd), "v4",
             (LOAD_BYTE, None, None, 23), (EQUAL, None, "reject", 17), (LOAD_BYTE, None, None, 33), (EQUAL, None, "reject", last_byte),
             (LOAD_INDEX, None, None, 14), (LOAD_HALF_X, None, None, 16), (EQUAL, None, "reject", ROCE_PORT),
             (LOAD_BYTE_X, None, None, 22), (EQUAL, "opcode", "opcode", 0), "v6",
             (LOAD_BYTE, None, None, 20), (EQUAL, None, "reject", 17), (LOAD_BYTE, None, None, 53), (EQUAL, None, "reject", last_byte),
             (LOAD_HALF, None, None, 56), (EQUAL, None, "reject", ROCE_PORT), (LOAD_BYTE, None, None, 62), "opcode",
             *known, "accept", (RETURN, None, None, 0xffff), "reject", (RETURN, None, None, 0)]
    return assembled(lines)


def assembled(lines):
    """Replaces the names of jump targets by distances; None is the next instruction."""
    places, code = {}, []
    for line in lines:
        if isinstance(line, str):
            places[line] = len(code)
        else:
            code.append(line)
    return [(operation, *(0 if name is None else places[name] - number - 1 for name in (true, false)), value)
            for number, (operation, true, false, value) in enumerate(code)]
