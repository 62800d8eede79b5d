package io.rxe.testkit.endurance;

import io.rxe.cm.CmConnection;
import io.rxe.verbs.QueuePair;

/** One end of a connection, with its place in the memory of its {@link Site}. Owned by the site's thread. */
final class End {
    final CmConnection connection;
    final QueuePair queuePair;
    final int place;
    /** This side began the connection. */
    final boolean isActive;
    boolean open;
    boolean sending;
    long sent;
    long received;

    End(CmConnection connection, QueuePair queuePair, int place, boolean isActive) {
        this.connection = connection;
        this.queuePair = queuePair;
        this.place = place;
        this.isActive = isActive;
    }
}
