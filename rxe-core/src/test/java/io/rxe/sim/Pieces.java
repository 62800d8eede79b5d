package io.rxe.sim;

import java.nio.ByteBuffer;

/** How a message is cut over a slot of memory: a scatter/gather list as offsets from the slot's start, with gaps nobody may touch. */
final class Pieces {
    /** Value of every byte that nobody may touch. */
    static final byte UNTOUCHED = (byte) 0xa5;
    /** Most bytes all gaps of one list take. */
    static final int MAX_GAP_BYTES = 8 * 24;

    final int[] offsets;
    final int[] lengths;

    private Pieces(int[] offsets, int[] lengths) {
        this.offsets = offsets;
        this.lengths = lengths;
    }

    /** Cuts so many bytes into at most so many pieces, up to 8. */
    static Pieces cut(Dice dice, int bytes, int maxPieces) {
        int count = dice.chance(0.5) ? 1 : dice.between(1, Math.min(8, maxPieces));
        int[] offsets = new int[count];
        int[] lengths = new int[count];
        int at = 0;
        int left = bytes;
        for (int i = 0; i < count; i++) {
            at += dice.between(0, 20);
            offsets[i] = at;
            lengths[i] = i == count - 1 ? left : dice.chance(0.1) ? 0 : dice.between(0, left);
            at += lengths[i];
            left -= lengths[i];
        }
        return new Pieces(offsets, lengths);
    }

    int total() {
        int sum = 0;
        for (int length : lengths) {
            sum += length;
        }
        return sum;
    }

    /** Puts a message into memory. */
    void scatter(ByteBuffer memory, int slot, byte[] message) {
        int done = 0;
        for (int i = 0; i < offsets.length && done < message.length; i++) {
            int step = Math.min(lengths[i], message.length - done);
            memory.put(slot + offsets[i], message, done, step);
            done += step;
        }
    }

    /** Takes a message out of memory. */
    byte[] gather(ByteBuffer memory, int slot, int bytes) {
        byte[] message = new byte[bytes];
        int done = 0;
        for (int i = 0; i < offsets.length && done < bytes; i++) {
            int step = Math.min(lengths[i], bytes - done);
            memory.get(slot + offsets[i], message, done, step);
            done += step;
        }
        return message;
    }

    /** First byte of the slot that belongs to no piece, or lies behind the message, and yet was changed; -1 when there is none. */
    int firstTouched(ByteBuffer memory, int slot, int slotBytes, int messageBytes) {
        int at = 0;
        int left = messageBytes;
        for (int i = 0; i <= offsets.length; i++) {
            int end = i < offsets.length ? offsets[i] : slotBytes;
            for (; at < end; at++) {
                if (memory.get(slot + at) != UNTOUCHED) {
                    return at;
                }
            }
            if (i < offsets.length) {
                int used = Math.min(left, lengths[i]);
                left -= used;
                at += used;
            }
        }
        return -1;
    }
}
