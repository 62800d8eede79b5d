package io.rxe.bench.perftest;

import io.rxe.verbs.AccessFlags;

/** What the requests of a test do. */
public enum TestVerb {
    SEND("Send", 0),
    WRITE("RDMA_Write", AccessFlags.REMOTE_WRITE),
    READ("RDMA_Read", AccessFlags.REMOTE_READ),
    ATOMIC("Atomic", AccessFlags.REMOTE_ATOMIC);

    private final String title;
    private final int remoteAccess;

    TestVerb(String title, int remoteAccess) {
        this.title = title;
        this.remoteAccess = remoteAccess;
    }

    /** As the heading of a test has it. */
    String title() {
        return title;
    }

    /** What the peer must be allowed to do: {@link AccessFlags}. */
    int remoteAccess() {
        return remoteAccess;
    }

    /** Answered with data, and so bounded by what the responder can hold. */
    boolean isReadOrAtomic() {
        return this == READ || this == ATOMIC;
    }
}
