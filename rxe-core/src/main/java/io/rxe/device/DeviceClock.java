package io.rxe.device;

import io.rxe.verbs.WorkCompletion;

/**
 * When a device was opened, by the clock of its engines and by the clock on the wall: what the timestamps of completions count from.
 *
 * <p>Set before the engines run; then any thread.
 */
public final class DeviceClock {
    private volatile long openedNs;
    private volatile long openedEpochNs;

    /**
     * The device is opened.
     *
     * @param nowNs   by the clock that drives the engines.
     * @param epochNs nanoseconds since 1970.
     */
    public void opened(long nowNs, long epochNs) {
        openedNs = nowNs;
        openedEpochNs = epochNs;
    }

    /** Writes the time of an engine into a completion. */
    void stamp(WorkCompletion completion, long nowNs) {
        long sinceOpenNs = nowNs - openedNs;
        completion.timestamps(sinceOpenNs, openedEpochNs + sinceOpenNs);
    }
}
