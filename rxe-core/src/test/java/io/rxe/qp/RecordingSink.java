package io.rxe.qp;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A sink that passes on every committed frame, and is full when the test says so. Its memory holds 0xa5 before a frame is written. */
final class RecordingSink implements PacketSink {
    private static final int OFFSET = 64;

    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private final Icrc icrc = new Icrc();
    private final LongSupplier clock;
    private final Consumer<SentFrame> onFrame;
    private Flow flow;
    private int length;
    private long room = Long.MAX_VALUE;

    RecordingSink(LongSupplier clock, Consumer<SentFrame> onFrame) {
        this.clock = clock;
        this.onFrame = onFrame;
    }

    /** Sets room for this many more frames. */
    void room(long frames) {
        room = frames;
    }

    boolean isFull() {
        return room <= 0;
    }

    @Override
    public int claim(Flow newFlow, int lengthBytes) {
        if (room <= 0) {
            return FULL;
        }
        flow = newFlow;
        length = lengthBytes;
        buffer.setMemory(OFFSET, lengthBytes, (byte) 0xa5);
        return OFFSET;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public void commit() {
        commit(false);
    }

    @Override
    public void commitCoveredTwice() {
        commit(true);
    }

    private void commit(boolean coveredTwice) {
        room--;
        int covered = length - Icrc.LENGTH;
        int value = icrc.compute(buffer, OFFSET, covered, flow.icrcSeed(), flow.isIpv4(), 0);
        Icrc.write(buffer, OFFSET + covered, coveredTwice ? icrc.coverTwice(buffer, OFFSET, covered, value) : value);
        byte[] bytes = new byte[length];
        buffer.getBytes(OFFSET, bytes);
        onFrame.accept(new SentFrame(bytes, flow, clock.getAsLong()));
    }
}
