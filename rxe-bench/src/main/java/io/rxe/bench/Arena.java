package io.rxe.bench;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of one side for checked transfers: a source with a known pattern and a target full of another. After a
 * transfer the target must show the source's bytes in the one place they belong to and the old pattern everywhere
 * else; the source must be unchanged.
 */
final class Arena implements AutoCloseable {
    /** Untouchable memory on both sides of a message. */
    static final int GUARD_BYTES = 4096;
    /** Messages begin up to this many bytes behind the guard. */
    static final int OFFSET_BYTES = 64;

    private final RegisteredBuffer source;
    private final RegisteredBuffer target;
    private int lengthBytes;
    private long sourceSeed;
    private long targetSeed;

    Arena(Endpoint endpoint, int largestMessageBytes) {
        lengthBytes = room(largestMessageBytes);
        source = endpoint.allocate(lengthBytes);
        target = endpoint.allocate(lengthBytes);
    }

    RegisteredBuffer source() {
        return source;
    }

    RegisteredBuffer target() {
        return target;
    }

    private static int room(int messageBytes) {
        return messageBytes + OFFSET_BYTES + 2 * GUARD_BYTES;
    }

    /** Fills both with fresh patterns, as far as a message of this size needs it; checks reach as far. */
    void prepare(long seed, int messageBytes) {
        lengthBytes = room(messageBytes);
        sourceSeed = DataPattern.mix(seed);
        targetSeed = DataPattern.mix(~seed);
        DataPattern.fill(source.bytes(), 0, lengthBytes, sourceSeed);
        DataPattern.fill(target.bytes(), 0, lengthBytes, targetSeed);
    }

    /** Checks that nothing of the source has changed. */
    void checkSource(String what) {
        int wrong = DataPattern.mismatch(source.bytes(), 0, lengthBytes, sourceSeed, 0);
        if (wrong >= 0) {
            throw new TransferFailure(what + ": byte " + wrong + " of the source memory has changed, it was only to be read");
        }
    }

    /**
     * Checks the whole target.
     *
     * @param sender       whose source was copied.
     * @param targetOffset where the message must lie.
     * @param sourceOffset where it came from.
     * @param sizeBytes    its length.
     */
    void checkTarget(String what, Arena sender, int targetOffset, int sourceOffset, int sizeBytes) {
        checkUntouched(what, targetOffset, sizeBytes);
        int wrong = target.bytes().slice(targetOffset, sizeBytes)
            .mismatch(sender.source.bytes().slice(sourceOffset, sizeBytes));
        if (wrong >= 0) {
            throw new TransferFailure(String.format("%s: byte %d of the message is 0x%02x, 0x%02x was sent", what, wrong,
                target.bytes().get(targetOffset + wrong), sender.source.bytes().get(sourceOffset + wrong)));
        }
    }

    /** Checks that the target outside a range is as it was. */
    void checkUntouched(String what, int offset, int sizeBytes) {
        checkOld(what, 0, offset, offset, sizeBytes);
        checkOld(what, offset + sizeBytes, lengthBytes - offset - sizeBytes, offset, sizeBytes);
    }

    private void checkOld(String what, int from, int count, int offset, int sizeBytes) {
        // Up to a multiple of eight byte by byte, then word by word.
        int ragged = Math.min(count, -from & 7);
        int wrong = DataPattern.mismatch(target.bytes(), from, ragged, targetSeed, from);
        if (wrong < 0) {
            wrong = DataPattern.mismatch(target.bytes(), from + ragged, count - ragged, targetSeed, from + ragged);
            wrong = wrong < 0 ? wrong : wrong + ragged;
        }
        if (wrong >= 0) {
            int place = from + wrong;
            throw new TransferFailure(what + ": memory outside the message was written, "
                + (place < offset ? offset - place + " bytes before it" : place - offset - sizeBytes + " bytes behind it"));
        }
    }

    /** Bytes that one round of checks looks at. */
    long checkedBytes() {
        return 2L * lengthBytes;
    }

    long targetLong(int offset) {
        return nativeOrder(target.bytes()).getLong(offset);
    }

    void putTargetLong(int offset, long value) {
        nativeOrder(target.bytes()).putLong(offset, value);
    }

    private static ByteBuffer nativeOrder(ByteBuffer bytes) {
        return bytes.duplicate().order(ByteOrder.nativeOrder());
    }

    @Override
    public void close() {
        source.close();
        target.close();
    }
}
