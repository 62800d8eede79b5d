package io.rxe.net;

import io.rxe.port.DrivenEngine;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.time.HostDelay;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/** An engine that receives nothing, has nothing to do and must not fail; tests override what they need. */
public class StubEngine implements DrivenEngine {
    private final HostDelay hostDelay = new HostDelay();

    @Override
    public void onPacket(DirectBuffer buffer, int offset, int length, Flow flow, long nowNs) {
        throw new AssertionError("nothing is received");
    }

    @Override
    public HostDelay hostDelay() {
        return hostDelay;
    }

    @Override
    public int poll(long nowNs, PacketSink sink) {
        return 0;
    }

    @Override
    public long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }

    @Override
    public long nextTimerNs() {
        return nextDeadlineNs();
    }

    @Override
    public void onSendFailed(Gid destination, String why) {
        throw new AssertionError("a send failed: " + why);
    }

    @Override
    public void fail(Throwable cause) {
        throw new AssertionError("the engine failed", cause);
    }
}
