package io.rxe.tools.sequence;

import io.rxe.wire.Syndrome;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes a capture of many packets, to measure {@code rxe dump --time-sequence}: SENDs of 64 bytes, an ACK for eight, every thousandth
 * packet lost and sent again after a PSN sequence NAK.
 *
 * <pre>
 *   tools/dev/test-main tools io.rxe.tools.sequence.LargeCapture /tmp/large.pcapng 10000000
 *   time tools/rxe dump -q --time-sequence /tmp/large.html /tmp/large.pcapng
 * </pre>
 */
final class LargeCapture {
    private static final int RUN = 8;
    private static final int RUNS_TO_LOSS = 125;

    private LargeCapture() {
    }

    /** @param arguments file and number of packets. */
    public static void main(String[] arguments) throws IOException {
        write(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    }

    static void write(Path file, int packets) throws IOException {
        try (Scene scene = new Scene(new BufferedOutputStream(Files.newOutputStream(file), 1 << 20))) {
            scene.mtu(64);
            int psn = 0;
            int written = 0;
            for (int run = 1; written < packets; run++) {
                if (run % RUNS_TO_LOSS == 0) {
                    scene.sends(psn, 2).after(5).nak(psn + 1, Syndrome.PSN_SEQUENCE_ERROR).after(2).sends(psn + 1, RUN - 1);
                    written += 2;
                } else {
                    scene.sends(psn, RUN);
                }
                psn += RUN;
                scene.after(4).ack(psn - 1).after(1);
                written += RUN + 1;
            }
        }
    }
}
