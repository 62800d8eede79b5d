package io.rxe.bench;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of one side for checked transfers: a source and a target, each filled with its own pattern. After a transfer the target must
 * hold the source's bytes at the message's place and its old pattern everywhere else; the source must be unchanged.
 */
final class PatternMemory implements AutoCloseable {
    /** Memory before and behind a message that must stay unchanged. */
    static final int GUARD_BYTES = 4096;
    /** A message starts fewer than this many bytes behind the guard. */
    static final int OFFSET_BYTES = 64;

    private final RegisteredBuffer source;
    private final RegisteredBuffer target;
    private int lengthBytes;
    private long sourceSeed;
    private long targetSeed;

    PatternMemory(LoopbackSide side, int largestMessageBytes) {
        lengthBytes = room(largestMessageBytes);
        source = side.allocate(lengthBytes);
        target = side.allocate(lengthBytes);
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

    /** Fills source and target with fresh patterns as far as a message of this size needs; checks cover the same range. */
    void prepare(long seed, int messageBytes) {
        lengthBytes = room(messageBytes);
        sourceSeed = DataPattern.mix(seed);
        targetSeed = DataPattern.mix(~seed);
        DataPattern.fill(source.bytes(), 0, lengthBytes, sourceSeed);
        DataPattern.fill(target.bytes(), 0, lengthBytes, targetSeed);
    }

    void checkSource(String what) {
        int mismatch = DataPattern.mismatch(source.bytes(), 0, lengthBytes, sourceSeed, 0);
        if (mismatch >= 0) {
            throw new TransferFailure(what + ": byte " + mismatch + " of the source memory has changed, it was only to be read");
        }
    }

    /**
     * Checks the whole target.
     *
     * @param sender       side whose source was copied.
     * @param targetOffset where the message must lie.
     * @param sourceOffset where it came from.
     * @param sizeBytes    its length.
     */
    void checkTarget(String what, PatternMemory sender, int targetOffset, int sourceOffset, int sizeBytes) {
        checkUntouched(what, targetOffset, sizeBytes);
        int mismatch = target.bytes().slice(targetOffset, sizeBytes).mismatch(sender.source.bytes().slice(sourceOffset, sizeBytes));
        if (mismatch >= 0) {
            throw new TransferFailure(String.format("%s: byte %d of the message is 0x%02x, 0x%02x was sent", what, mismatch,
                target.bytes().get(targetOffset + mismatch), sender.source.bytes().get(sourceOffset + mismatch)));
        }
    }

    /** Checks that the target is unchanged outside a range. */
    void checkUntouched(String what, int offset, int sizeBytes) {
        checkPattern(what, 0, offset, offset, sizeBytes);
        checkPattern(what, offset + sizeBytes, lengthBytes - offset - sizeBytes, offset, sizeBytes);
    }

    private void checkPattern(String what, int from, int count, int offset, int sizeBytes) {
        int mismatch = DataPattern.mismatch(target.bytes(), from, count, targetSeed, from);
        if (mismatch >= 0) {
            int place = from + mismatch;
            throw new TransferFailure(what + ": memory outside the message was written, "
                + (place < offset ? offset - place + " bytes before it" : place - offset - sizeBytes + " bytes behind it"));
        }
    }

    /** Bytes compared by the checks of one transfer. */
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
