package io.rxe.sim;

import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.PacketText;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/** Records every datagram of a run when it is sent and when it arrives: as a pcapng file and as text beside it. */
final class CaptureFile implements AutoCloseable {
    private final CaptureWriter writer;
    private final PrintWriter text;
    private final UnsafeBuffer frame = new UnsafeBuffer(new byte[8192]);

    CaptureFile(Path path) {
        try {
            Files.createDirectories(path.toAbsolutePath().getParent());
            text = new PrintWriter(Files.newBufferedWriter(path.resolveSibling(path.getFileName() + ".txt")));
            writer = new CaptureWriter(new BufferedOutputStream(Files.newOutputStream(path)), LinkType.ETHERNET, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + path, e);
        }
    }

    void write(Datagram datagram, long nowNs, String comment) {
        Flow flow = datagram.flow;
        int length = new RoceFrameWriter(flow.source(), flow.destination(), flow.sourcePort(), flow.destinationPort())
            .write(frame, 0, new UnsafeBuffer(datagram.bytes), 0, datagram.bytes.length, datagram.ipId);
        String packet = datagram.bytes.length < Bth.LENGTH ? datagram.bytes.length + " bytes"
            : PacketText.of(new UnsafeBuffer(datagram.bytes), 0, datagram.bytes.length);
        text.printf("%,15d %-8s %s > %s %s%n", nowNs, comment, flow.source(), flow.destination(), packet);
        try {
            writer.write(nowNs, comment.startsWith("arrives") ? Direction.INBOUND : Direction.OUTBOUND, comment, frame, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a line to the text file. */
    void note(long nowNs, String what) {
        text.printf("%,15d %s%n", nowNs, what);
    }

    @Override
    public void close() {
        text.close();
        try {
            writer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
