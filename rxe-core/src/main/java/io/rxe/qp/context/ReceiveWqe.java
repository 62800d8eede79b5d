package io.rxe.qp.context;

import io.rxe.memory.ScatterGatherList;
import io.rxe.verbs.ReceiveRequest;

/** A slot of a receive queue: the memory a message goes to. */
public final class ReceiveWqe {
    private final ScatterGatherList scatterGather = new ScatterGatherList();
    private long id;

    /** Application: copies a request, which the caller has checked. */
    public void fill(ReceiveRequest request) {
        id = request.id();
        scatterGather.copyFrom(request.scatterGather());
    }

    /** Copies another slot. */
    public void copyFrom(ReceiveWqe other) {
        id = other.id;
        scatterGather.copyFrom(other.scatterGather);
    }

    public long id() {
        return id;
    }

    public ScatterGatherList scatterGather() {
        return scatterGather;
    }
}
