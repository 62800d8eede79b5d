package io.rxe.port;

/**
 * Is notified of the {@link EngineEvent}s of an engine, for captures, traces and logs. Runs on the engine's thread in the middle of its
 * work, so it must be quick, must not throw and must not call the engine. A run without losses notifies it of state changes and paths only.
 */
@FunctionalInterface
public interface EngineObserver {
    /** Ignores all events. */
    EngineObserver NONE = (event, nowNs, qpn, psn, value) -> { };

    /**
     * An event happened.
     *
     * @param nowNs time of the engine, in nanoseconds.
     * @param qpn   number of the local queue pair; 0 for none.
     * @param psn   PSN of the packet, 24 bits; 0 for none.
     * @param value defined by the event: see {@link EngineEvent}.
     */
    void onEvent(EngineEvent event, long nowNs, int qpn, int psn, long value);

    /**
     * A queue pair that works reports its path: ten times a second at most, and when the first round trip was measured.
     *
     * @param qpn     number of the local queue pair.
     * @param figures in force until this returns.
     */
    default void onPath(int qpn, PathFigures figures) {
        // Most observers ask for events alone.
    }
}
