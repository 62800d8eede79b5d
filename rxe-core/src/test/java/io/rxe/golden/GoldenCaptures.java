package io.rxe.golden;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The captures of real rdma_rxe peers in this test tree: {@code src/test/resources/golden}, see the README.md there.
 *
 * <p>Names are paths without ".pcap": "rc_pingpong", "cases/22e_badicrc".
 */
public final class GoldenCaptures {
    private static final String ROOT = "/golden/";

    private GoldenCaptures() {
    }

    /** {@return the names of all captures} */
    public static List<String> names() {
        try (InputStream in = resource("index.txt")) {
            return new String(in.readAllBytes(), UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the names of the captures that each record one measured behaviour} */
    public static List<String> caseNames() {
        return names().stream().filter(name -> name.startsWith("cases/")).toList();
    }

    /** {@return all frames of one capture, in order} */
    public static List<GoldenFrame> open(String name) {
        List<GoldenFrame> frames = new ArrayList<>();
        try (CaptureReader reader = new CaptureReader(resource(name + ".pcap"))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                RoceFrame frame = new RoceFrame();
                frame.decode(new UnsafeBuffer(record.bytes()), 0, record.bytes().length, record.linkType());
                frames.add(new GoldenFrame(name, frames.size() + 1, record, frame));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return frames;
    }

    /** {@return every frame of every capture} */
    public static List<GoldenFrame> all() {
        List<GoldenFrame> frames = new ArrayList<>();
        names().forEach(name -> frames.addAll(open(name)));
        return frames;
    }

    private static InputStream resource(String name) throws IOException {
        InputStream in = GoldenCaptures.class.getResourceAsStream(ROOT + name);
        if (in == null) {
            throw new FileNotFoundException("no resource " + ROOT + name + ": index.txt lists the captures");
        }
        return in;
    }
}
