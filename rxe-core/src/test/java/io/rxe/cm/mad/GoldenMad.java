package io.rxe.cm.mad;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A MAD of two kernel peers: rping from 10.99.0.3 to 10.99.0.2, then udaddy the same way.
 *
 * @param frame       number of the frame that carried it.
 * @param source      source address.
 * @param destination destination address.
 * @param buffer      256 bytes, the MAD alone.
 */
public record GoldenMad(GoldenFrame frame, Gid source, Gid destination, UnsafeBuffer buffer) {
    /** All MADs of the capture, in order: REQ REP RTU DREQ DREP SIDR_REQ SIDR_REP. */
    public static List<GoldenMad> all() {
        return GoldenCaptures.open("rping_udaddy_cm").stream().filter(frame -> frame.destinationQpn() == 1).map(GoldenMad::of).toList();
    }

    private static GoldenMad of(GoldenFrame frame) {
        byte[] mad = new byte[MadHeader.MAD_LENGTH];
        frame.buffer().getBytes(frame.offset() + Opcode.UD_SEND_ONLY.headerLength(), mad);
        return new GoldenMad(frame, frame.roce().source(), frame.roce().destination(), new UnsafeBuffer(mad));
    }

    /** Which message it is. */
    public CmAttribute attribute() {
        return MadHeader.attribute(buffer, 0);
    }
}
