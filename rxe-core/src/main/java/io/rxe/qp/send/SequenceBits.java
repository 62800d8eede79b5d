package io.rxe.qp.send;

import java.util.Arrays;

/**
 * One bit for each sequence number of a range that moves up: a ring, which grows by doubling.
 *
 * <p>A bit may be read where none is set. Otherwise sequence numbers lie in the range of the last {@link #reserve}, or behind its
 * beginning by less than the ring has places. Owned by the engine thread.
 */
final class SequenceBits {
    private static final int BITS = 6;

    private long[] words = new long[0];
    private long count;

    /**
     * Makes room for the bits from one sequence number to another, exclusive. Those set lie behind the first.
     *
     * @param leastPlaces of the first ring; a power of two, at least 64.
     */
    void reserve(long fromSeq, long endSeq, int leastPlaces) {
        long first = fromSeq & -Long.SIZE;
        long needed = endSeq - first;
        long places = (long) words.length * Long.SIZE;
        if (needed <= places) {
            return;
        }
        long[] before = words;
        words = new long[(int) (places(needed, leastPlaces) >>> BITS)];
        for (long seq = first; seq < first + places; seq += Long.SIZE) {
            words[word(seq)] = before[(int) (seq >>> BITS) & before.length - 1];
        }
    }

    /** The power of two that holds a number of places. */
    static long places(long needed, int least) {
        return Math.max(least, Long.highestOneBit(needed - 1) << 1);
    }

    boolean isEmpty() {
        return count == 0;
    }

    long count() {
        return count;
    }

    /** Bits from one sequence number to another, exclusive, that are set. */
    long count(long fromSeq, long endSeq) {
        long set = 0;
        for (long seq = fromSeq; count != 0 && seq < endSeq; ) {
            long wordEnd = wordEnd(seq, endSeq);
            set += Long.bitCount(words[word(seq)] & mask(seq, wordEnd));
            seq = wordEnd;
        }
        return set;
    }

    /** Those of them that are set in another, too, which was reserved with this one. */
    long countBoth(SequenceBits other, long fromSeq, long endSeq) {
        long set = 0;
        for (long seq = fromSeq; count != 0 && other.count != 0 && seq < endSeq; ) {
            long wordEnd = wordEnd(seq, endSeq);
            set += Long.bitCount(words[word(seq)] & other.words[word(seq)] & mask(seq, wordEnd));
            seq = wordEnd;
        }
        return set;
    }

    boolean has(long seq) {
        return count != 0 && (words[word(seq)] >>> seq & 1) != 0;
    }

    /** Sets a bit that is not set. */
    void set(long seq) {
        words[word(seq)] |= 1L << seq;
        count++;
    }

    /** Clears the bits from one sequence number to another, exclusive. */
    void clear(long fromSeq, long endSeq) {
        for (long seq = fromSeq; count != 0 && seq < endSeq; ) {
            long wordEnd = wordEnd(seq, endSeq);
            long mask = mask(seq, wordEnd);
            count -= Long.bitCount(words[word(seq)] & mask);
            words[word(seq)] &= ~mask;
            seq = wordEnd;
        }
    }

    void clear() {
        if (count != 0) {
            Arrays.fill(words, 0);
            count = 0;
        }
    }

    /** Clears the bits that are not set in another, which was reserved with this one. */
    void clearUnless(SequenceBits other) {
        for (int i = 0; count != 0 && i < words.length; i++) {
            count -= Long.bitCount(words[i] & ~other.words[i]);
            words[i] &= other.words[i];
        }
    }

    /** The first bit that is set, from one sequence number to another, exclusive; the end when there is none. */
    long nextSet(long fromSeq, long endSeq) {
        return count == 0 ? endSeq : next(fromSeq, endSeq, 0);
    }

    /** The first bit that is clear, from one sequence number to another, exclusive; the end when there is none. */
    long nextClear(long fromSeq, long endSeq) {
        return count == 0 ? Math.min(fromSeq, endSeq) : next(fromSeq, endSeq, -1L);
    }

    /** The first whose bit differs from those of a mask. */
    private long next(long fromSeq, long endSeq, long mask) {
        long seq = fromSeq;
        while (seq < endSeq) {
            long rest = (words[word(seq)] ^ mask) >>> seq;
            if (rest != 0) {
                return Math.min(endSeq, seq + Long.numberOfTrailingZeros(rest));
            }
            seq = (seq >>> BITS) + 1 << BITS;
        }
        return endSeq;
    }

    private int word(long seq) {
        return (int) (seq >>> BITS) & words.length - 1;
    }

    private static long wordEnd(long seq, long endSeq) {
        return Math.min(endSeq, (seq >>> BITS) + 1 << BITS);
    }

    /** The bits of a word from one sequence number to another, exclusive. */
    private static long mask(long fromSeq, long endSeq) {
        return -1L << fromSeq & -1L >>> -endSeq;
    }
}
