package io.rxe.connect;

/** Lets the first reason to end a connection pass, on a client once connect can no longer throw: no callback may follow what throws. */
final class EndGate {
    private volatile boolean open;
    /** The latest reason: one that came before the gate was open has yet to pass. */
    private volatile ConnectionEnd latest;
    private boolean passed;

    EndGate(boolean isOpen) {
        open = isOpen;
    }

    /** Any thread. Returns a reason that came before, which has to come again; or null. */
    ConnectionEnd open() {
        open = true;
        return latest;
    }

    /** Connection thread. Returns whether the connection ends now, for this reason. */
    boolean pass(ConnectionEnd reason) {
        latest = reason;
        boolean passesNow = open && !passed;
        passed |= passesNow;
        return passesNow;
    }

    /** Connection thread. */
    boolean hasPassed() {
        return passed;
    }
}
