"""Watches what is sent to a kernel requester: some answers make it complete a READ or an atomic with missing data.

A bare ACK, NAK or RNR NAK inside a READ whose answer has begun, and a bare ACK or RNR NAK at the PSN of an atomic or of
a READ of one packet: kernel 6.1 takes each for the answer.
"""

from cases import CaseFailed
from wire import ACK, CMP_SWAP, FETCH_ADD, READ_FIRST, READ_LAST, READ_MIDDLE, READ_ONLY, READ_REQUEST

READ_RESPONSES = (READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY)
# Path MTU of the watched connections; a READ takes one PSN for each response.
MTU = 1024


def check_harmless(frames, kernel_address):
    """Fails when one of the frames sent to the kernel could make it lie to its application."""
    singles, reads, begun = set(), {}, set()
    for frame in frames:
        if frame.source == kernel_address:
            if frame.opcode in (CMP_SWAP, FETCH_ADD):
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
                raise CaseFailed("sent to a kernel: a READ response that refuses (%s)" % frame)
        elif frame.opcode == ACK:
            if frame.psn in singles and frame.syndrome >> 5 != 3:
                raise CaseFailed("sent to a kernel: a bare answer to a READ or atomic (%s)" % frame)
            if reads.get(frame.psn) in begun:
                raise CaseFailed("sent to a kernel: a bare answer inside a READ (%s)" % frame)
