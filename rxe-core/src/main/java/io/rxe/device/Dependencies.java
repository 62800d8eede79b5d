package io.rxe.device;

/**
 * The queues that a queue pair uses. When one of them is closed, the queue pair fails: nobody would ever see its completions, or post its
 * receives.
 *
 * @param sends    completes sends.
 * @param receives completes receives; may be the same.
 * @param shared   the shared receive queue, or null.
 */
record Dependencies(NicCompletionQueue sends, NicCompletionQueue receives, NicSharedReceiveQueue shared) {
    /** A queue pair begins to use the queues; one that was closed in this instant is noticed by a later {@link #checkOpen}. */
    void add(NicQueuePair queuePair) {
        sends.users().add(queuePair);
        receives.users().add(queuePair);
        if (shared != null) {
            shared.users().add(queuePair);
        }
    }

    void remove(NicQueuePair queuePair) {
        sends.users().remove(queuePair);
        receives.users().remove(queuePair);
        if (shared != null) {
            shared.users().remove(queuePair);
        }
    }

    /** @throws IllegalStateException naming the user and the queue that is closed. */
    void checkOpen(String user) {
        if (sends.isClosed() || receives.isClosed()) {
            throw closed(user, sends.isClosed() ? sends.name() : receives.name());
        }
        if (shared != null && shared.isClosed()) {
            throw closed(user, shared.name());
        }
    }

    private static IllegalStateException closed(String user, String queue) {
        return new IllegalStateException("the " + queue + " of " + user + " is closed: create another of both");
    }
}
