package io.rxe.cm.exchange;

/** Counts the requests of a listener that were neither accepted nor rejected yet, against a limit. Engine thread. */
public final class Backlog {
    private final int limit;
    private int pending;

    /** @param limit requests that may wait, at least 1. */
    public Backlog(int limit) {
        this.limit = limit;
    }

    boolean hasRoom() {
        return pending < limit;
    }

    void onRequest() {
        pending++;
    }

    void onDecision() {
        pending--;
    }
}
