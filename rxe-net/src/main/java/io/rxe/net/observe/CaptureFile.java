package io.rxe.net.observe;

import io.netty.channel.IoEventLoop;
import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.wire.Icrc;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A pcapng file that gets every frame of a NIC, with the IP and UDP headers as they were on the wire.
 *
 * <p>A frame that the engine dropped has the reason as a comment. In ring mode only the latest frames are kept, in memory, and
 * written when a queue pair fails; frames after that are written when the file is closed, if the ring still has them. A process that a
 * signal ends without closing its NIC loses no frame.
 *
 * <p>{@link #tap} puts a layer around a port; a port without it costs nothing. A sent frame is written with the IP identification that
 * the kernel gives it, a received one with the identification recovered from its ICRC. The traffic class of a received frame is 0, or 3
 * where a router marked it (CE): sockets tell nothing else. Shared by the engines of a NIC, hence
 * synchronized.
 */
public final class CaptureFile implements AutoCloseable {
    private static final int MAX_FLOWS = 4096;
    private static final int BUFFER_BYTES = 1 << 16;

    private final CaptureTarget target;
    private final Warnings warnings;
    private final CaptureRing ring;
    private final CaptureWriter writer;
    private final Map<Flow, RoceFrameWriter> headers = new HashMap<>();
    private final UnsafeBuffer frame = new UnsafeBuffer(new byte[RoceFrameWriter.MAX_HEADER_LENGTH + BUFFER_BYTES]);
    private final Icrc icrc = new Icrc();
    private final Thread hook = new Thread(this::onShutdown, "rxe-capture");
    private boolean ending;
    private boolean broken;
    private boolean failed;
    private boolean drainDue;

    /**
     * Starts the file; an existing one is overwritten, and one that another NIC writes is left alone: see {@link CaptureTarget}. Then a
     * warning names the file beside it.
     *
     * @param ringBytes 0 to write every frame at once, else the size of the ring that is written when a queue pair fails.
     * @param udpPort   of the NIC, which the file names.
     * @throws IOException if it cannot be written.
     */
    public CaptureFile(Path path, long ringBytes, int udpPort, Warnings warnings) throws IOException {
        this.warnings = warnings;
        this.target = CaptureTarget.open(path);
        boolean started = false;
        try {
            OutputStream file = new BufferedOutputStream(target.stream(), BUFFER_BYTES);
            this.ring = ringBytes == 0 ? null : new CaptureRing(file, (int) ringBytes);
            this.writer = new CaptureWriter(ring == null ? file : ring, LinkType.ETHERNET, udpPort);
            // A valid capture from the start, also for a reader that opens the file before the first frame.
            writer.flush();
            if (!path.equals(target.path())) {
                warnings.undone("capture name", "another NIC writes the capture " + path + ": that of this one is " + target.path());
            }
            started = true;
        } catch (IOException e) {
            throw new IOException(FileFailure.ofWrite("the capture", target.path(), e), e);
        } finally {
            // Also where there is no memory for the ring, or printing throws: another NIC may try again.
            if (!started) {
                target.close();
            }
        }
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending.
            ending = true;
        }
    }

    /**
     * Begins the file for a program that may open no NIC: a valid capture without a frame, which its NIC overwrites. A file that a NIC
     * writes, and a pipe, whose reader would see its end, are left alone.
     *
     * @throws IOException if it cannot be written.
     */
    public static void begin(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path)) {
            return;
        }
        try (CaptureTarget target = CaptureTarget.tryOpen(path)) {
            if (target != null) {
                new CaptureWriter(target.stream(), LinkType.ETHERNET, 0).flush();
            }
        } catch (IOException e) {
            throw new IOException(FileFailure.ofWrite("the capture", path, e), e);
        }
    }

    /** A signal ends the process: what is buffered is written now, and each frame that still comes at once. */
    private synchronized void onShutdown() {
        ending = true;
        flush();
    }

    /** Writes what is buffered, so that a process which is killed loses little. Any thread. */
    public synchronized void flush() {
        try {
            if (!broken) {
                writer.flush();
            }
        } catch (IOException e) {
            breakOff(e);
        }
    }

    /** A port that passes everything to {@code inner} and records the frames; the verdict has the reason of a drop. */
    public UdpPort tap(UdpPort inner, FrameVerdict verdict) {
        return new Tap(inner, verdict);
    }

    /** A queue pair failed. In ring mode the frames that led to it are written, once the frame being received is in the ring too. */
    synchronized void queuePairFailed(FrameVerdict verdict) {
        failed = true;
        if (verdict.isInFrame()) {
            drainDue = true;
        } else {
            drain();
        }
    }

    /** Writes what is buffered, and the ring although no queue pair failed. Any thread. */
    public synchronized void writeRing() {
        drain();
        flush();
    }

    private void drain() {
        drainDue = false;
        if (ring != null && !broken) {
            try {
                ring.drain();
            } catch (IOException e) {
                breakOff(e);
            }
        }
    }

    private void breakOff(IOException cause) {
        broken = true;
        warnings.incomplete("capture", FileFailure.ofWrite("the capture", target.path(), cause) + "; it ends here, the NIC continues");
    }

    private synchronized void sent(long timestampNs, Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        int identification = 0;
        for (int at = 0; at < lengthBytes; at += segmentBytes) {
            write(timestampNs, Direction.OUTBOUND, null, flow, buffer, offset + at, Math.min(segmentBytes, lengthBytes - at),
                identification++);
        }
    }

    private synchronized void received(long timestampNs, DirectBuffer buffer, int offset, int lengthBytes, Flow flow, String verdict) {
        String comment = verdict;
        int identification = 0;
        if (flow.isIpv4()) {
            identification = icrc.recoverIpId(buffer, offset, lengthBytes, flow.icrcSeed());
            if (identification < 0) {
                identification = 0;
                comment = (verdict == null ? "" : verdict + "; ")
                    + "the ICRC is wrong for every IP identification; the 0 here is a placeholder";
            }
        }
        write(timestampNs, Direction.INBOUND, comment, flow, buffer, offset, lengthBytes, identification);
        if (drainDue) {
            drain();
        }
    }

    private void write(long timestampNs, Direction direction, String comment, Flow flow,
                       DirectBuffer buffer, int offset, int lengthBytes, int identification) {
        if (broken) {
            return;
        }
        if (headers.size() >= MAX_FLOWS) {
            headers.clear();
        }
        RoceFrameWriter header = headers.computeIfAbsent(flow, one ->
            new RoceFrameWriter(one.source(), one.destination(), one.sourcePort(), one.destinationPort()));
        header.trafficClass(flow.trafficClass());
        int length = header.write(frame, 0, buffer, offset, lengthBytes, identification);
        try {
            writer.write(timestampNs, direction, comment, frame, 0, length);
            if (ending) {
                writer.flush();
            }
        } catch (IOException e) {
            breakOff(e);
        }
    }

    @Override
    public synchronized void close() {
        if (failed) {
            drain();
        }
        broken = true;
        try {
            writer.close();
        } catch (IOException e) {
            warnings.incomplete("capture", FileFailure.ofWrite("the capture", target.path(), e) + "; its last frames may be missing");
        }
        target.close();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending.
        }
    }

    /** The layer around a port. */
    private final class Tap extends ForwardingPort {
        private final FrameVerdict verdict;

        Tap(UdpPort inner, FrameVerdict verdict) {
            super(inner);
            this.verdict = verdict;
        }

        @Override
        public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
            super.start(loop, (buffer, offset, lengthBytes, flow) -> {
                long timestampNs = SystemClock.epochNs();
                verdict.begin();
                try {
                    receiver.onFrame(buffer, offset, lengthBytes, flow);
                } finally {
                    // Also the frame that ends an engine, which is the one to look at.
                    received(timestampNs, buffer, offset, lengthBytes, flow, verdict.end());
                }
            }, onReady);
        }

        @Override
        public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
            // Taken before the send: over loopback the reply can arrive before this call returns.
            long timestampNs = SystemClock.epochNs();
            SendStatus status = super.send(flow, buffer, offset, lengthBytes, segmentBytes);
            if (status == SendStatus.SENT) {
                sent(timestampNs, flow, buffer, offset, lengthBytes, segmentBytes);
            }
            return status;
        }
    }
}
