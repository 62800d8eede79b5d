package io.rxe.counters;

import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.port.PathFigures;

/** The events of an engine: each goes to the {@link EngineObserver}, with the time of the engine. Owned by the engine thread. */
public final class EngineEvents {
    private long nowNs;
    private EngineObserver observer = EngineObserver.NONE;

    /** Sets the observer that is notified of each event. */
    public void observer(EngineObserver newObserver) {
        observer = newObserver;
    }

    /** Sets the time of the events that follow. */
    public void now(long timeNs) {
        nowNs = timeNs;
    }

    /** Reports an event; arguments as in {@link EngineObserver#onEvent}. */
    public void report(EngineEvent event, int qpn, int psn, long value) {
        observer.onEvent(event, nowNs, qpn, psn, value);
    }

    /** Tells of the path of a queue pair; arguments as in {@link EngineObserver#onPath}. */
    public void path(int qpn, PathFigures figures) {
        observer.onPath(qpn, figures);
    }
}
