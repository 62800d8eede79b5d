package io.rxe.cm.exchange;

import io.rxe.cm.mad.MadHeader;
import io.rxe.device.ManagementAgent;
import io.rxe.time.TokenBucket;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Replies that no exchange keeps, until the sink takes them: to messages without an exchange, and MRAs. Limited in number waiting and
 * in rate, so that forged or repeated messages cost little; a peer retransmits to get a reply that was left out.
 */
final class ReplyQueue {
    private static final int CAPACITY = 256;

    private final UnsafeBuffer[] mads = new UnsafeBuffer[CAPACITY];
    private final Origin[] peers = new Origin[CAPACITY];
    private final TokenBucket bucket;
    private final CmCounters counters;
    private long first;
    private long next;

    ReplyQueue(int perSecond, CmCounters counters) {
        this.bucket = new TokenBucket(perSecond);
        this.counters = counters;
    }

    /** Whether the rate limit allows one more reply now; counts a drop if not. */
    boolean isAllowed(long nowNs) {
        if (bucket.take(nowNs)) {
            return true;
        }
        counters.drop(CmDropReason.REPLY_RATE);
        return false;
    }

    /** Buffer of one more reply, to be filled at once; null if a limit is reached, which counts a drop. */
    UnsafeBuffer add(Origin peer, long nowNs) {
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

    /** Sends replies until the sink is full; returns how many. */
    int poll(ManagementAgent.MadSink sink) {
        int sent = 0;
        while (first != next) {
            int slot = (int) (first % CAPACITY);
            if (!sink.send(peers[slot].address(), peers[slot].partitionKeyIndex(), mads[slot], 0)) {
                break;
            }
            counters.count(CmCounters.Kind.SENT, MadHeader.attribute(mads[slot], 0));
            first++;
            sent++;
        }
        return sent;
    }
}
