package io.rxe.capture;

import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import org.agrona.DirectBuffer;

/**
 * Cuts a datagram captured before segmentation (GSO) or after coalescing (GRO) into its packets. On the loopback interface, for
 * example, several packets of one flow are captured as one. All but the last have the same length, and the IP identification counts up.
 * Tries lengths until the ICRC of the first packet is correct.
 *
 * <p>Belongs to one thread.
 */
public final class BatchCutter {
    private static final int STEP_BYTES = 4;

    private final Icrc icrc = new Icrc();
    private int lastLengthBytes;

    /**
     * Finds the length of the packets.
     *
     * @param frame decoded, with a wrong ICRC as a whole.
     * @return bytes from BTH to ICRC of each packet but the last, or -1 if it is not a batch.
     */
    public int packetLength(RoceFrame frame) {
        int maxLength = Math.min(HeaderValidator.MAX_LENGTH, frame.payloadLength() - HeaderValidator.MIN_LENGTH);
        if (lastLengthBytes > 0 && lastLengthBytes <= maxLength && isGood(frame, 0, lastLengthBytes)) {
            return lastLengthBytes;
        }
        for (int length = maxLength & -STEP_BYTES; length >= HeaderValidator.MIN_LENGTH; length -= STEP_BYTES) {
            if (isGood(frame, 0, length)) {
                lastLengthBytes = length;
                return length;
            }
        }
        return -1;
    }

    /**
     * Whether a packet of a batch has the correct ICRC.
     *
     * @param index       0 for the first packet.
     * @param lengthBytes result of {@link #packetLength}.
     */
    public boolean isGood(RoceFrame frame, int index, int lengthBytes) {
        int start = index * lengthBytes;
        int length = Math.min(lengthBytes, frame.payloadLength() - start);
        if (length < HeaderValidator.MIN_LENGTH) {
            return false;
        }
        DirectBuffer buffer = frame.buffer();
        int offset = frame.payloadOffset() + start;
        int ipId = frame.isIpv4() ? frame.ipId() + index & 0xFFFF : 0;
        return Icrc.read(buffer, offset + length - Icrc.LENGTH)
            == icrc.compute(buffer, offset, length - Icrc.LENGTH, frame.seed(), frame.isIpv4(), ipId);
    }
}
