package io.rxe.net.observe;

import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.wire.DropReason;

/**
 * Receives the events of one engine and passes them on: drops to the capture, failures to the capture ring, all of them to Java Flight
 * Recorder. On the engine's thread.
 */
public final class NicObserver implements EngineObserver {
    private static final DropReason[] BY_ID = byId();

    private final FrameVerdict verdict;
    private final CaptureFile capture;
    private final EngineObserver traces;

    /**
     * @param device  name of the NIC in traces.
     * @param capture null when there is none.
     */
    public NicObserver(String device, int engine, FrameVerdict verdict, CaptureFile capture) {
        this.verdict = verdict;
        this.capture = capture;
        // A custom run-time image may lack the module.
        this.traces = ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? new FlightEvents(device, engine) : EngineObserver.NONE;
    }

    private static DropReason[] byId() {
        DropReason[] reasons = new DropReason[64];
        for (DropReason reason : DropReason.values()) {
            reasons[reason.id()] = reason;
        }
        return reasons;
    }

    /** The reason with an id. */
    static DropReason reason(long id) {
        return BY_ID[(int) id];
    }

    @Override
    public void onEvent(EngineEvent event, long nowNs, int qpn, int psn, long value) {
        if (event == EngineEvent.DROP) {
            verdict.onDrop(reason(value));
        } else if (event == EngineEvent.FAILURE && capture != null) {
            capture.queuePairFailed(verdict);
        }
        traces.onEvent(event, nowNs, qpn, psn, value);
    }
}
