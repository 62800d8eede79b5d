package io.rxe.bench;

import java.util.ArrayDeque;

/**
 * The senders that may have room to post: first all, then those with new completions. Senders without completions cost no time, however
 * many there are. Owned by the thread that posts.
 */
final class SenderQueue {
    private final ArrayDeque<QueuePairSender> due;

    SenderQueue(QueuePairSender[] senders) {
        due = new ArrayDeque<>(senders.length);
        for (QueuePairSender sender : senders) {
            add(sender);
        }
    }

    /** A sender completed something. */
    void add(QueuePairSender sender) {
        if (!sender.isDue()) {
            sender.due(true);
            due.add(sender);
        }
    }

    /**
     * Lets every sender in the queue post; one whose send queue was full stays in it.
     *
     * @param mayBegin whether new chunks may start.
     * @return messages posted.
     */
    int fill(boolean mayBegin) {
        int posted = 0;
        for (int left = due.size(); left > 0; left--) {
            QueuePairSender sender = due.poll();
            sender.due(false);
            posted += sender.fill(mayBegin);
            if (sender.isCutShort()) {
                add(sender);
            }
        }
        return posted;
    }
}
