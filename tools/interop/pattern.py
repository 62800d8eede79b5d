"""The bytes that fill test memory. The agent of rxe-testkit generates the same ones (class FillPattern)."""

import functools
import hashlib

TABLE_BYTES = 65536
# Each further 64 KiB starts this many bytes later in the table, so that no two blocks of a message are equal.
BLOCK_SKEW = 1009


@functools.lru_cache(maxsize=8)
def table(seed):
    return b"".join(hashlib.sha256(b"%d:%d" % (seed, block)).digest() for block in range(TABLE_BYTES // 32))


def pattern(seed, length):
    """Returns the first `length` bytes: byte i is table[(i + 1009 * (i / 65536)) mod 65536]."""
    source = table(seed)
    parts = []
    for block in range((length + TABLE_BYTES - 1) // TABLE_BYTES):
        skew = block * BLOCK_SKEW % TABLE_BYTES
        parts.append(source[skew:] + source[:skew])
    return b"".join(parts)[:length]
