package io.rxe.sim;

import java.nio.ByteBuffer;

/** The scatter/gather list of one message: offsets from the start of a slot of memory, with gaps that must stay unchanged. */
final class ElementLayout {
    /** Value of every byte outside the elements. */
    static final byte UNTOUCHED = (byte) 0xa5;
    /** Upper bound of the bytes in all gaps of one list. */
    static final int MAX_GAP_BYTES = 8 * 24;

    final int[] offsets;
    final int[] lengths;

    private ElementLayout(int[] offsets, int[] lengths) {
        this.offsets = offsets;
        this.lengths = lengths;
    }

    /** Splits a number of bytes into at most {@code maxElements} elements and at most 8. */
    static ElementLayout cut(SeededRandom random, int bytes, int maxElements) {
        int count = random.chance(0.5) ? 1 : random.between(1, Math.min(8, maxElements));
        int[] offsets = new int[count];
        int[] lengths = new int[count];
        int at = 0;
        int left = bytes;
        for (int i = 0; i < count; i++) {
            at += random.between(0, 20);
            offsets[i] = at;
            lengths[i] = i == count - 1 ? left : random.chance(0.1) ? 0 : random.between(0, left);
            at += lengths[i];
            left -= lengths[i];
        }
        return new ElementLayout(offsets, lengths);
    }

    int total() {
        int sum = 0;
        for (int length : lengths) {
            sum += length;
        }
        return sum;
    }

    /** Copies a message into memory. */
    void scatter(ByteBuffer memory, int slot, byte[] message) {
        int done = 0;
        for (int i = 0; i < offsets.length && done < message.length; i++) {
            int step = Math.min(lengths[i], message.length - done);
            memory.put(slot + offsets[i], message, done, step);
            done += step;
        }
    }

    /** Copies a message from memory. */
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

    /** First changed byte of the slot that belongs to no element or lies behind the message; -1 when there is none. */
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
