"""Checks what is sent to a kernel requester: some responses make it complete a READ or an atomic with missing data.

Kernel 6.1 accepts each of these in place of the response it waits for: a bare ACK, NAK or RNR NAK inside a READ whose
response has begun; a bare ACK or RNR NAK at the PSN of an atomic or of a READ of one packet. Some kernels crash over an opcode
that they do not know.
"""

from cases import CaseFailed
from peers import Program
from wire import ACK, ATOMIC_WRITE, CMP_SWAP, FETCH_ADD, FLUSH, READ_FIRST, READ_LAST, READ_MIDDLE, READ_ONLY, READ_REQUEST, ROCE_PORT

READ_RESPONSES = (READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY)
# Path MTU of the checked connections; a READ uses one PSN for each response.
MTU = 1024
# Of tcpdump.
START_SECONDS = 30


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


# The ranges of opcodes that kernel 6.1 knows, RC, UC and UD, and what newer ones know besides: first and last.
KNOWN, KNOWN_TO_NEWER = ((0x00, 0x14), (0x16, 0x17), (0x20, 0x2b), (0x64, 0x65)), ((FLUSH, ATOMIC_WRITE),)


class UnknownOpcodeWatch:
    """Watches what a peer is sent, from beginning to end: tcpdump ends at the first opcode that its kernel does not know."""

    def __init__(self, peer):
        self._peer = peer
        self._start()

    def _start(self):
        self._tcpdump = Program(["tcpdump", "-Z", "root", "-n", "-x", "-c", "1", "-i", self._peer.tap,
                                 unknown_opcodes(self._peer.address(4), self._peer.address(6), self._peer.is_newer)])
        self._tcpdump.wait_for(lambda: "listening on" in self._tcpdump.output, START_SECONDS)

    def check(self):
        if self._tcpdump.status is not None:
            found = self._tcpdump.output
            self._start()
            raise CaseFailed("sent to a kernel that does not know its opcode: %s" % found)

    def close(self):
        self._tcpdump.stop()


def unknown_opcodes(ipv4, ipv6, is_newer):
    """An expression of tcpdump: RoCE packets to these addresses, of an opcode that the kernel does not know."""
    known = KNOWN + (KNOWN_TO_NEWER if is_newer else ())
    def is_unknown(place):
        return "not (%s)" % " or ".join("(%s >= %d and %s <= %d)" % (place, first, place, last) for first, last in known)
    return ("(ip dst %s and udp dst port %d and %s) or (ip6 dst %s and ip6[6] = 17 and ip6[42:2] = %d and %s)"
            % (ipv4, ROCE_PORT, is_unknown("udp[8]"), ipv6, ROCE_PORT, is_unknown("ip6[48]")))
