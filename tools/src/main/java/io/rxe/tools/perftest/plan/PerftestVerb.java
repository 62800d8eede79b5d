package io.rxe.tools.perftest.plan;

import io.rxe.verbs.AccessFlags;

/** The verb of a test's requests. */
public enum PerftestVerb {
    SEND("Send", 0),
    WRITE("RDMA_Write", AccessFlags.REMOTE_WRITE),
    READ("RDMA_Read", AccessFlags.REMOTE_READ),
    ATOMIC("Atomic", AccessFlags.REMOTE_ATOMIC);

    private final String title;
    private final int remoteAccess;

    PerftestVerb(String title, int remoteAccess) {
        this.title = title;
        this.remoteAccess = remoteAccess;
    }

    /** Name in the heading of a test. */
    public String title() {
        return title;
    }

    /** Access rights the peer needs: {@link AccessFlags}. */
    public int remoteAccess() {
        return remoteAccess;
    }

    /** Whether the response carries data, so that responder resources limit the outstanding requests. */
    public boolean isReadOrAtomic() {
        return this == READ || this == ATOMIC;
    }
}
