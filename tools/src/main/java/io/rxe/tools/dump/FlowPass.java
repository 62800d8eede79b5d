package io.rxe.tools.dump;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.tools.flow.FlowPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * Reads a whole capture and hands on its packets, one at a time. A thread of its own reads and checks the frames, a bounded number of
 * packets ahead of the caller, who gets them.
 */
final class FlowPass implements FrameWalker.Visitor {
    private static final int BATCH = 512;
    private static final int BATCHES = 4;

    private final FrameWalker walker;
    private final DumpTotals totals;
    private final Consumer<FlowPacket> packets;
    private final BlockingQueue<Batch> batches = new ArrayBlockingQueue<>(BATCHES);
    private List<FlowPacket> next = new ArrayList<>(BATCH);

    /** Packets in order; with the last of them what ended the capture. */
    private record Batch(List<FlowPacket> packets, boolean isLast, IOException failure, Throwable defect) {
    }

    /** @param totals counts the frames; those of another pass may be given to nobody. */
    FlowPass(FrameWalker walker, DumpTotals totals, Consumer<FlowPacket> packets) {
        this.walker = walker;
        this.totals = totals;
        this.packets = packets;
    }

    /**
     * Reads to the end, or to the last frame.
     *
     * @param lastFrame number of the last frame to read.
     * @return the error at which reading stopped, or null.
     */
    String read(CaptureReader reader, long lastFrame) throws IOException {
        Thread thread = new Thread(() -> run(reader, lastFrame), "rxe-capture");
        thread.setDaemon(true);
        thread.start();
        try {
            Batch batch = batches.take();
            while (!batch.isLast()) {
                batch.packets().forEach(packets);
                batch = batches.take();
            }
            batch.packets().forEach(packets);
            if (batch.defect() != null) {
                throw new IllegalStateException("frame " + walker.frames(), batch.defect());
            }
            return batch.failure() == null ? null : batch.failure().getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            stop(thread);
        }
    }

    private static void stop(Thread thread) {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(CaptureReader reader, long lastFrame) {
        try {
            Batch last = walk(reader, lastFrame);
            batches.put(last);
        } catch (InterruptedException e) {
            // The caller has failed: nobody wants the rest.
            Thread.currentThread().interrupt();
        }
    }

    private Batch walk(CaptureReader reader, long lastFrame) throws InterruptedException {
        try {
            CaptureRecord record = reader.read();
            while (record != null) {
                walker.walk(record, this);
                if (next.size() >= BATCH) {
                    batches.put(new Batch(next, false, null, null));
                    next = new ArrayList<>(BATCH);
                }
                record = walker.frames() >= lastFrame ? null : reader.read();
            }
            return new Batch(next, true, null, null);
        } catch (IOException e) {
            return new Batch(next, true, e, null);
        } catch (RuntimeException | Error e) {
            return new Batch(next, true, null, e);
        }
    }

    @Override
    public void onPacket(CaptureRecord record, RoceFrame frame, String name, int start, int lengthBytes, FrameWalker.IcrcState icrc) {
        int offset = frame.payloadOffset() + start;
        Opcode opcode = lengthBytes < Bth.LENGTH ? null : Opcode.of(Bth.opcode(frame.buffer(), offset));
        switch (icrc) {
            case GOOD -> totals.good(opcode);
            case BAD -> totals.bad(name, opcode);
            case NOT_CAPTURED -> totals.truncated(opcode);
        }
        if (lengthBytes >= Bth.LENGTH) {
            next.add(FlowPacket.of(name, record, frame, offset, lengthBytes, icrc == FrameWalker.IcrcState.BAD ? "bad ICRC" : null));
        }
    }

    @Override
    public void onBatch() {
        totals.batch();
    }

    @Override
    public void onOther(CaptureRecord record, int udpPort) {
        totals.other(record, udpPort);
    }
}
