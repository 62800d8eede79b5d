package io.rxe.tools.perftest;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairType;

/** The verb of a test's requests, and what differs by it. */
enum PerftestVerb {
    SEND("Send", Operation.SEND, 0),
    WRITE("RDMA_Write", Operation.RDMA_WRITE, AccessFlags.REMOTE_WRITE),
    READ("RDMA_Read", Operation.RDMA_READ, AccessFlags.REMOTE_READ);

    private final String title;
    private final Operation operation;
    private final int remoteAccess;

    PerftestVerb(String title, Operation operation, int remoteAccess) {
        this.title = title;
        this.operation = operation;
        this.remoteAccess = remoteAccess;
    }

    /** Name in the heading of a test. */
    String title() {
        return title;
    }

    Operation operation() {
        return operation;
    }

    /** Access rights the peer needs: {@link AccessFlags}. */
    int remoteAccess() {
        return remoteAccess;
    }

    boolean runsOn(QueuePairType transport) {
        return switch (transport) {
            case RC -> true;
            case UC -> this != READ;
            case UD -> this == SEND;
            // perftest has it as -c XRC; not here.
            case XRC_SEND, XRC_RECV -> false;
        };
    }
}
