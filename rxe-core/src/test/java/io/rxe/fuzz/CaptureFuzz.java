package io.rxe.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrame;
import io.rxe.golden.GoldenCaptures;
import io.rxe.wire.PacketText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Capture files, pcap and pcapng, and the frames in them: a broken file is an IOException that names the byte, nothing else. */
final class CaptureFuzz implements FuzzTarget {
    private static final int SEED_BYTES = 2048;
    private static final int[] LINK_TYPES = {LinkType.ETHERNET, LinkType.RAW_IP, LinkType.LINUX_SLL, LinkType.LINUX_SLL2};

    @Override
    public void run(byte[] bytes) {
        long captured = 0;
        try (CaptureReader reader = new CaptureReader(new ByteArrayInputStream(bytes))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                captured += record.bytes().length;
                decode(record.bytes(), record.linkType());
                for (int linkType : LINK_TYPES) {
                    decode(record.bytes(), linkType);
                }
            }
        } catch (IOException e) {
            assertTrue(e.getMessage().startsWith("capture broken at byte "), e.getMessage());
        }
        assertTrue(captured <= bytes.length, "more bytes captured than the file has");
    }

    private static void decode(byte[] bytes, int linkType) {
        RoceFrame frame = new RoceFrame();
        if (!frame.decode(new UnsafeBuffer(bytes), 0, bytes.length, linkType)) {
            return;
        }
        assertTrue(frame.payloadLength() >= 0 && frame.payloadOffset() + frame.payloadLength() <= bytes.length, "beyond the frame");
        assertTrue(frame.isUdp());
        assertTrue(!PacketText.of(frame.buffer(), frame.payloadOffset(), frame.payloadLength()).isEmpty());
        assertTrue(frame.trafficClass() >> 8 == 0 && frame.hopLimit() >> 8 == 0 && frame.vlanId() >> 12 <= 0);
        boolean isGood = frame.isIcrcGood();
        assertTrue(!isGood || !frame.isTruncated(), "an ICRC that was cut off is right");
    }

    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (String name : GoldenCaptures.names()) {
            try (InputStream in = GoldenCaptures.class.getResourceAsStream("/golden/" + name + ".pcap")) {
                byte[] file = in.readAllBytes();
                seeds.add(Arrays.copyOf(file, Math.min(SEED_BYTES, file.length)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return seeds;
    }
}
