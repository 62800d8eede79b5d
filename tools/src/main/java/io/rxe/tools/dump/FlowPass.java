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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * Reads a whole capture and hands on its packets, one at a time. A thread of its own reads and checks the frames, a bounded number of
 * packets ahead of the caller, who gets them.
 */
final class FlowPass implements FrameWalker.Visitor {
    private static final int BATCH = 512;
    private static final int BATCHES = 4;
    private static final List<FlowPacket> END = new ArrayList<>();

    private final FrameWalker walker;
    private final Consumer<FlowPacket> packets;
    private final BlockingQueue<List<FlowPacket>> batches = new ArrayBlockingQueue<>(BATCHES);
    private List<FlowPacket> next = new ArrayList<>(BATCH);

    FlowPass(FrameWalker walker, Consumer<FlowPacket> packets) {
        this.walker = walker;
        this.packets = packets;
    }

    /**
     * Reads to the end, or to the last frame.
     *
     * @param lastFrame number of the last frame to read.
     * @return the error at which reading stopped, or null.
     */
    String read(CaptureReader reader, long lastFrame) throws IOException {
        FutureTask<String> reading = new FutureTask<>(() -> walk(reader, lastFrame));
        Thread thread = new Thread(reading, "rxe-capture");
        thread.setDaemon(true);
        thread.start();
        try {
            for (List<FlowPacket> batch = batches.take(); batch != END; batch = batches.take()) {
                batch.forEach(packets);
            }
            return reading.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("frame " + walker.frames(), e.getCause());
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

    private String walk(CaptureReader reader, long lastFrame) throws InterruptedException {
        String broken = null;
        try {
            CaptureRecord record = reader.read();
            while (record != null) {
                walker.walk(record, this);
                if (next.size() >= BATCH) {
                    batches.put(next);
                    next = new ArrayList<>(BATCH);
                }
                record = walker.frames() >= lastFrame ? null : reader.read();
            }
        } catch (IOException e) {
            broken = e.getMessage();
        } catch (RuntimeException | Error e) {
            batches.put(END);
            throw e;
        }
        batches.put(next);
        batches.put(END);
        return broken;
    }

    @Override
    public void onPacket(CaptureRecord record, RoceFrame frame, String name, int start, int lengthBytes, FrameWalker.IcrcState icrc) {
        int offset = frame.payloadOffset() + start;
        Opcode opcode = lengthBytes < Bth.LENGTH ? null : Opcode.of(Bth.opcode(frame.buffer(), offset));
        walker.totals().packet(icrc, name, opcode);
        if (lengthBytes >= Bth.LENGTH) {
            next.add(FlowPacket.of(name, record, frame, offset, lengthBytes, icrc == FrameWalker.IcrcState.BAD ? "bad ICRC" : null));
        }
    }
}
