package io.rxe.port;

/**
 * Hears of what is out of the ordinary, as it happens: for captures, traces and logs. Called on the engine's thread in the middle of
 * its work, so it must be quick and must not call back. A run without losses calls it for changes of state only.
 */
@FunctionalInterface
public interface EngineObserver {
    /** Hears nothing. */
    EngineObserver NONE = (event, nowNs, qpn, psn, value) -> { };

    /**
     * Something happened.
     *
     * @param nowNs the engine's time.
     * @param qpn   our queue pair, 0 when it is none of ours.
     * @param psn   the packet concerned, 24 bits; 0 where there is none.
     * @param value what {@link EngineEvent} says.
     */
    void onEvent(EngineEvent event, long nowNs, int qpn, int psn, long value);
}
