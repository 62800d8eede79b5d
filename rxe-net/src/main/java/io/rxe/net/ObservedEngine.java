package io.rxe.net;

import io.rxe.device.Engine;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/** An engine whose loop notes each frame that it delivers, so that a capture can say what became of it. Owned by the loop's thread. */
final class ObservedEngine implements EngineCore {
    private final Engine engine;
    private final FrameVerdict verdict;

    ObservedEngine(Engine engine, FrameVerdict verdict) {
        this.engine = engine;
        this.verdict = verdict;
    }

    @Override
    public void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs) {
        verdict.onDelivered();
        engine.onPacket(buffer, offset, lengthBytes, flow, nowNs);
    }

    @Override
    public int poll(long nowNs, PacketSink sink) {
        return engine.poll(nowNs, sink);
    }

    @Override
    public long nextDeadlineNs() {
        return engine.nextDeadlineNs();
    }

    @Override
    public long nextTimerNs() {
        return engine.nextTimerNs();
    }

    @Override
    public void onSendFailed(Gid destination, String why) {
        engine.onSendFailed(destination, why);
    }

    @Override
    public void fail(Throwable cause) {
        engine.fail(cause);
    }
}
