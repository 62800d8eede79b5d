package io.rxe.connect;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Flow control of messages, so that no message arrives before its receive is posted.
 *
 * <p>Numbers count messages since the start of the connection. A side may send as many as its peer has announced receives for. When a
 * quarter of its receives were used since its last announcement, its next message announces those it has posted by then, in 31 bits of
 * immediate data. A side that has announced nothing by the time half are used sends an empty message, a <em>credit message</em>.
 *
 * <p>Other messages have no immediate data. It would make the last packet longer than the full ones before it, and the kernel takes many
 * packets at once only if all have one length but the last, which may be shorter.
 *
 * <p>Credit messages need no credit, but receives. Two receives beyond those announced are enough ({@link #EXTRA_RECEIVES}): a credit
 * message raises the announced number by at least half of the receives, and what the peer has not processed is at most all of them.
 *
 * <pre>
 *   sent, at most limit              as requester: taken by any thread
 *   announced, at most posted        as receiver: posted by the dispatching thread only
 * </pre>
 */
final class MessageCredits {
    /** Receives beyond those announced. */
    static final int EXTRA_RECEIVES = 2;
    /** No announcement. */
    static final long NOTHING = -1;
    private static final int CREDIT_MESSAGE = 0x8000_0000;
    private static final int NUMBER = 0x7FFF_FFFF;

    private final int due;
    private final int overdue;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong announced = new AtomicLong();
    private final AtomicLong posted = new AtomicLong();
    private volatile long limit;
    /** Dispatching thread. */
    private long arrived;

    /** @param receiveDepth receives for messages that are posted and announced at the begin. */
    MessageCredits(int receiveDepth) {
        due = (receiveDepth + 3) / 4;
        overdue = (receiveDepth + 1) / 2;
        posted.set(receiveDepth);
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

    /** The number announced so far, for {@link #announce} and {@link #withdraw}. */
    long announced() {
        return announced.get();
    }

    /**
     * Announces what is posted with the next message, or returns {@link #NOTHING} if that is not due, or another thread announces it.
     *
     * @param before what was announced so far.
     */
    long announce(long before) {
        return announce(before, due);
    }

    /** The same with a credit message, which is due later. */
    long announceCredits(long before) {
        return announce(before, overdue);
    }

    private long announce(long before, int least) {
        long now = posted.get();
        return now - before >= least && announced.compareAndSet(before, now) ? now : NOTHING;
    }

    /** The message with an announcement was not posted: it is due again, unless another was made since. */
    void withdraw(long announcement, long before) {
        if (announcement != NOTHING) {
            announced.compareAndSet(announcement, before);
        }
    }

    /** The immediate data of a message that announces. */
    static int inMessage(long announcement) {
        return (int) announcement & NUMBER;
    }

    /** The immediate data of a credit message. */
    static int inCreditMessage(long announcement) {
        return inMessage(announcement) | CREDIT_MESSAGE;
    }

    static boolean isCreditMessage(int immediate) {
        return (immediate & CREDIT_MESSAGE) != 0;
    }

    /** A message arrived that is no credit message. Dispatching thread. False if no receive was announced for it. */
    boolean onMessage() {
        return ++arrived <= announced.get();
    }

    /** An announcement arrived. Dispatching thread. Messages of several threads may announce out of order: the highest counts. */
    void onAnnouncement(int immediate) {
        int more = immediate - (int) limit & NUMBER;
        if (more <= NUMBER >>> 1) {
            limit += more;
        }
    }

    /** The receive of a message was posted anew. Dispatching thread. */
    void onReceivePosted() {
        // One thread writes. A sender that sees it late announces it later.
        posted.lazySet(posted.getPlain() + 1);
    }
}
