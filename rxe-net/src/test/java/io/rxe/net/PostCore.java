package io.rxe.net;

import io.rxe.port.Flow;
import org.agrona.DirectBuffer;

/** An engine that receives nothing and must not fail: a race says what a poll does. */
abstract class PostCore implements EngineCore {
    @Override
    public final void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs) {
        throw new AssertionError("nothing is received");
    }

    @Override
    public long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }

    @Override
    public final void fail(Throwable cause) {
        throw new AssertionError("the engine failed", cause);
    }
}
