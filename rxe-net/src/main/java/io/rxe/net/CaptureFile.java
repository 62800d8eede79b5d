package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.port.Flow;
import io.rxe.wire.Icrc;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A pcapng file that gets every frame of a NIC, with the IP and UDP headers as they were on the wire.
 *
 * <p>{@link #tap} puts a layer around a port; without it nothing is paid. A sent frame gets the identification the kernel
 * gives it, a received one the identification that its ICRC tells. Shared by the engines of a NIC, hence synchronized.
 */
final class CaptureFile implements AutoCloseable {
    private static final int MAX_FLOWS = 4096;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path path;
    private final Notices notices;
    private final CaptureWriter writer;
    private final Map<Flow, RoceFrameWriter> headers = new HashMap<>();
    private final UnsafeBuffer frame = new UnsafeBuffer(new byte[RoceFrameWriter.MAX_HEADER_LENGTH + BUFFER_BYTES]);
    private final Icrc icrc = new Icrc();
    private boolean broken;

    /**
     * Begins the file; one that exists is written over.
     *
     * @throws IOException if it cannot be written.
     */
    CaptureFile(final Path path, final Notices notices) throws IOException {
        this.path = path;
        this.notices = notices;
        this.writer = new CaptureWriter(new BufferedOutputStream(Files.newOutputStream(path), BUFFER_BYTES), LinkType.ETHERNET);
    }

    /** A port that does what {@code inner} does and writes down what passes. */
    UdpPort tap(final UdpPort inner) {
        return new Tap(inner);
    }

    private synchronized void sent(final Flow flow, final DirectBuffer buffer, final int offset, final int lengthBytes,
                                   final int segmentBytes) {
        int identification = 0;
        for (int at = 0; at < lengthBytes; at += segmentBytes) {
            write(Direction.OUTBOUND, null, flow, buffer, offset + at, Math.min(segmentBytes, lengthBytes - at),
                identification++);
        }
    }

    private synchronized void received(final DirectBuffer buffer, final int offset, final int lengthBytes, final Flow flow) {
        String comment = null;
        int identification = 0;
        if (flow.isIpv4()) {
            identification = icrc.recoverIpId(buffer, offset, lengthBytes, flow.icrcSeed());
            if (identification < 0) {
                identification = 0;
                comment = "the ICRC is wrong for every IP identification; 0 is made up";
            }
        }
        write(Direction.INBOUND, comment, flow, buffer, offset, lengthBytes, identification);
    }

    private void write(final Direction direction, final String comment, final Flow flow, final DirectBuffer buffer,
        final int offset,
                       final int lengthBytes, final int identification) {
        if (broken) {
            return;
        }
        if (headers.size() >= MAX_FLOWS) {
            headers.clear();
        }
        final RoceFrameWriter header = headers.computeIfAbsent(flow, one ->
            new RoceFrameWriter(one.source(), one.destination(), one.sourcePort(), one.destinationPort()));
        final int length = header.write(frame, 0, buffer, offset, lengthBytes, identification);
        try {
            writer.write(SystemClock.epochNs(), direction, comment, frame, 0, length);
        } catch (IOException e) {
            broken = true;
            notices.once("capture", "writing the capture " + path + " failed (" + e.getMessage()
                + "): it ends here, the NIC goes on without; make room or choose another file");
        }
    }

    @Override
    public synchronized void close() {
        broken = true;
        try {
            writer.close();
        } catch (IOException e) {
            notices.once("capture", "closing the capture " + path + " failed (" + e.getMessage() + "): its end may be missing");
        }
    }

    /** The layer around a port. */
    private final class Tap implements UdpPort {
        private final UdpPort inner;

        Tap(final UdpPort inner) {
            this.inner = inner;
        }

        @Override
        public void start(final IoEventLoop loop, final FrameReceiver receiver, final Runnable onReady) throws IOException {
            inner.start(loop, (buffer, offset, lengthBytes, flow) -> {
                received(buffer, offset, lengthBytes, flow);
                receiver.onFrame(buffer, offset, lengthBytes, flow);
            }, onReady);
        }

        @Override
        public int receive(final int maxBytes) {
            return inner.receive(maxBytes);
        }

        @Override
        public SendStatus send(final Flow flow, final DirectBuffer buffer, final int offset, final int lengthBytes,
                               final int segmentBytes) {
            final SendStatus status = inner.send(flow, buffer, offset, lengthBytes, segmentBytes);
            if (status == SendStatus.SENT) {
                sent(flow, buffer, offset, lengthBytes, segmentBytes);
            }
            return status;
        }

        @Override
        public boolean canSegment() {
            return inner.canSegment();
        }

        @Override
        public boolean isPolled() {
            return inner.isPolled();
        }

        @Override
        public long nextDeadlineNs() {
            return inner.nextDeadlineNs();
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
