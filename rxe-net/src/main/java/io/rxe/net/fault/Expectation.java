package io.rxe.net.fault;

/**
 * What must follow a fault of a script.
 *
 * @param event    name in {@code ibv_event_type} or {@code rdma_cm_event_type}, without their prefix.
 * @param fromNs   time since the NIC was opened: that of the fault before it.
 * @param withinNs how long it may take.
 * @param line     number of its line in the script.
 */
record Expectation(String event, long fromNs, long withinNs, int line) {
    long endNs() {
        return fromNs + withinNs;
    }

    String failure() {
        return "line " + line + " of the script: " + event + " did not follow within " + withinNs / 1_000_000 + " ms, by "
            + endNs() / 1_000_000 + " ms after the start";
    }

    @Override
    public String toString() {
        return "expect " + event + " within " + withinNs / 1_000_000 + " ms, line " + line;
    }
}
