"""Checks what is sent to a kernel requester: some responses make it complete a READ or an atomic with missing data.

Kernel 6.1 accepts each of these in place of the response it waits for: a bare ACK, NAK or RNR NAK inside a READ whose
response has begun; a bare ACK or RNR NAK at the PSN of an atomic or of a READ of one packet.
"""

from cases import CaseFailed
from wire import ACK, CMP_SWAP, FETCH_ADD, READ_FIRST, READ_LAST, READ_MIDDLE, READ_ONLY, READ_REQUEST

READ_RESPONSES = (READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY)
# Path MTU of the checked connections; a READ uses one PSN for each response.
MTU = 1024


def check_harmless(frames, kernel_address):
    """Fails when a frame sent to the kernel could make it report success for missing data."""
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
                raise CaseFailed("sent to a kernel: a READ response with a NAK syndrome (%s)" % frame)
        elif frame.opcode == ACK:
            if frame.psn in singles and frame.syndrome >> 5 != 3:
                raise CaseFailed("sent to a kernel: a bare ACK for a READ or atomic (%s)" % frame)
            if reads.get(frame.psn) in begun:
                raise CaseFailed("sent to a kernel: a bare ACK inside a READ (%s)" % frame)
