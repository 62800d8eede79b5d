package io.rxe.testkit.flood;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * The content of one message of the transfer. Every byte follows from the seed in its first eight bytes and from its kind, so the server
 * compares all of it.
 *
 * <p>In a message that imitates frames, a BTH stands behind each boundary that a smaller path MTU would have, and before it four bytes,
 * random in each message, that may happen to be the ICRC of the part before them. The other kind has zeros in place of the BTHs and costs
 * the same to make and to compare.
 *
 * <p>Not thread safe.
 */
final class FloodMessage {
    /** Bytes of a message: 16 frames at path MTU 4096. */
    static final int BYTES = 64 << 10;

    private static final int FRAME_PAYLOAD_BYTES = 4096;
    private static final int[] SMALLER_MTUS = {256, 512, 1024, 2048};
    private static final int SEED_OFFSET = 0;
    private static final int KIND_OFFSET = 8;
    private static final int ICRC_BYTES = 4;
    private static final int BTH_BYTES = 12;
    private static final int SEND_MIDDLE = 0x01;
    private static final long TEMPLATE_SEED = 4791;

    private final ByteBuffer plain = template(false);
    private final ByteBuffer frameLike = template(true);

    private static ByteBuffer template(boolean likeFrames) {
        byte[] bytes = new byte[BYTES];
        new Random(TEMPLATE_SEED).nextBytes(bytes);
        ByteBuffer template = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.BIG_ENDIAN);
        template.put(0, bytes);
        template.put(KIND_OFFSET, (byte) (likeFrames ? 1 : 0));
        for (int frame = 0; frame < BYTES; frame += FRAME_PAYLOAD_BYTES) {
            for (int mtu : SMALLER_MTUS) {
                int bth = frame + mtu + ICRC_BYTES;
                template.put(bth, new byte[BTH_BYTES]);
                if (likeFrames) {
                    template.put(bth, (byte) SEND_MIDDLE);
                    template.putShort(bth + 2, (short) 0xFFFF);
                }
            }
        }
        return template;
    }

    void write(ByteBuffer to, int offset, boolean likeFrames, long seed) {
        to.put(offset, likeFrames ? frameLike : plain, 0, BYTES);
        vary(to, offset, seed);
    }

    /** Makes another message of one that {@link #write} wrote there. */
    void vary(ByteBuffer to, int offset, long seed) {
        to.putLong(offset + SEED_OFFSET, seed);
        long state = seed;
        for (int frame = 0; frame < BYTES; frame += FRAME_PAYLOAD_BYTES) {
            for (int mtu : SMALLER_MTUS) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                to.putInt(offset + frame + mtu, (int) (state >>> 32));
            }
        }
    }

    /** Offset of the first byte that is not as it was written, or -1. */
    int firstWrongByte(ByteBuffer received, int offset) {
        ByteBuffer expected = received.get(offset + KIND_OFFSET) == 1 ? frameLike : plain;
        vary(expected, 0, received.getLong(offset + SEED_OFFSET));
        return received.slice(offset, BYTES).mismatch(expected.slice(0, BYTES));
    }
}
