package io.rxe.cm;

import io.rxe.cm.mad.MadHeader;
import io.rxe.device.ManagementAgent;
import io.rxe.time.TokenBucket;
import io.rxe.wire.Gid;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Answers that belong to no dialogue, or that a dialogue gives beside its own message, until they are sent. Bounded twice: so many
 * waiting, and so many a second; what is left out the peer asks for again.
 */
final class ReplyQueue {
    private static final int CAPACITY = 256;

    private final UnsafeBuffer[] mads = new UnsafeBuffer[CAPACITY];
    private final Gid[] peers = new Gid[CAPACITY];
    private final TokenBucket bucket;
    private final CmCounters counters;
    private long first;
    private long next;

    ReplyQueue(int perSecond, CmCounters counters) {
        this.bucket = new TokenBucket(perSecond);
        this.counters = counters;
    }

    /** Whether one more answer may be given now; counts it when not. */
    boolean isAllowed(long nowNs) {
        if (bucket.take(nowNs)) {
            return true;
        }
        counters.drop(CmDropReason.REPLY_RATE);
        return false;
    }

    /** Room for a MAD, to be written at once; null when there are too many, which is counted. */
    UnsafeBuffer add(Gid peer, long nowNs) {
        if (next - first == CAPACITY) {
            counters.drop(CmDropReason.REPLY_QUEUE_FULL);
            return null;
        }
        if (!isAllowed(nowNs)) {
            return null;
        }
        int slot = (int) (next++ % CAPACITY);
        if (mads[slot] == null) {
            mads[slot] = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
        }
        peers[slot] = peer;
        return mads[slot];
    }

    boolean isEmpty() {
        return first == next;
    }

    /** Sends what the sink takes; answers how many. */
    int poll(ManagementAgent.MadSink sink) {
        int sent = 0;
        while (first != next) {
            int slot = (int) (first % CAPACITY);
            if (!sink.send(peers[slot], mads[slot], 0)) {
                break;
            }
            counters.count(CmCounters.Kind.SENT, MadHeader.attribute(mads[slot], 0));
            first++;
            sent++;
        }
        return sent;
    }
}
