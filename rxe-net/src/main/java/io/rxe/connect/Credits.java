package io.rxe.connect;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Flow control of messages, so that no message arrives before its receive is posted.
 *
 * <p>Numbers count messages since the begin of the connection. A side may send as many as its peer has announced receives for. Each message
 * announces the receives its sender has posted by then (31 bits of its immediate data). A side that has nothing to send announces them
 * with an empty message, a <em>credit message</em>, when half of its receives were used since the last announcement.
 *
 * <p>Credit messages need no credit, but receives. Two receives beyond those announced are enough ({@link #EXTRA_RECEIVES}): a credit
 * message raises the announced number by at least half of the receives, and what the peer has not processed is at most all of them.
 *
 * <pre>
 *   sent, at most limit              as requester: taken by any thread
 *   announced, at most posted        as receiver: posted by the dispatching thread only
 * </pre>
 */
final class Credits {
    /** Receives beyond those announced. */
    static final int EXTRA_RECEIVES = 2;
    private static final int CREDIT_MESSAGE = 0x8000_0000;
    private static final int NUMBER = 0x7FFF_FFFF;

    private final int threshold;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong announced = new AtomicLong();
    private volatile long posted;
    private volatile long limit;

    /** @param receiveDepth receives for messages that are posted and announced at the begin. */
    Credits(int receiveDepth) {
        threshold = (receiveDepth + 1) / 2;
        posted = receiveDepth;
        announced.set(receiveDepth);
    }

    /** The peer announced its receives in its greeting. */
    void onGreeting(int peerReceiveDepth) {
        limit = peerReceiveDepth;
    }

    /** Takes the credit for one message; false if there is none. */
    boolean tryTake() {
        long before = sent.get();
        while (before < limit) {
            if (sent.compareAndSet(before, before + 1)) {
                return true;
            }
            before = sent.get();
        }
        return false;
    }

    /** Returns the credit of a message that was not posted. */
    void giveBack() {
        sent.decrementAndGet();
    }

    boolean isAvailable() {
        return sent.get() < limit;
    }

    /** The immediate data of a message that is posted now. */
    int stampMessage() {
        return (int) announce() & NUMBER;
    }

    /** The immediate data of a credit message that is posted now. */
    int stampCredits() {
        return (int) announce() & NUMBER | CREDIT_MESSAGE;
    }

    private long announce() {
        long now = posted;
        announced.accumulateAndGet(now, Math::max);
        return now;
    }

    static boolean isCreditMessage(int immediate) {
        return (immediate & CREDIT_MESSAGE) != 0;
    }

    /** A message arrived. Dispatching thread. Messages of several threads may announce out of order: the highest counts. */
    void onArrival(int immediate) {
        int more = immediate - (int) limit & NUMBER;
        if (more <= NUMBER >>> 1) {
            limit += more;
        }
    }

    /** The receive of a message was posted anew. Dispatching thread. */
    void onReceivePosted() {
        posted++;
    }

    /** Whether the peer needs a credit message. */
    boolean isCreditMessageDue() {
        return posted - announced.get() >= threshold;
    }
}
