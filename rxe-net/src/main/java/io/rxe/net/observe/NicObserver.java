package io.rxe.net.observe;

import io.rxe.net.port.Warnings;
import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.port.PathFigures;
import io.rxe.verbs.PartitionKeys;
import io.rxe.wire.DropReason;
import io.rxe.wire.Psn;
import java.util.HashMap;
import java.util.Map;

/**
 * Receives the events of one engine and passes them on: drops to the capture, failures to the capture ring, all of them to Java Flight
 * Recorder. On the engine's thread.
 */
public final class NicObserver implements EngineObserver {
    private static final DropReason[] BY_ID = byId();
    /** How long a peer may be without a receive request for one packet before a warning. */
    private static final long RECEIVER_WAIT_NS = 1_000_000_000;

    /** The same packet is refused again sooner, or it is another one with its PSN: longer than the longest RNR wait. */
    private static final long NEXT_NS = 2_000_000_000;

    private static final int LOW_16_BITS = 0xFFFF;

    /** A packet that the peer has no receive request for. */
    private static final class Refused {
        private int psn = -1;
        private long sinceNs;
        private long lastNs;
        private boolean warned;
    }

    private final FrameVerdict verdict;
    private final CaptureFile capture;
    private final EngineObserver traces;
    private final Warnings warnings;
    /** By the number of the queue pair. A run in which peers post receives never adds one. */
    private final Map<Integer, Refused> refused = new HashMap<>();

    /**
     * @param device  name of the NIC in traces.
     * @param capture null when there is none.
     */
    public NicObserver(String device, int engine, FrameVerdict verdict, CaptureFile capture, Warnings warnings) {
        this.warnings = warnings;
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
        if (event == EngineEvent.RNR_WAIT) {
            onReceiverWait(nowNs, qpn, psn);
        } else if (event == EngineEvent.BAD_PARTITION_KEY) {
            onBadPartitionKey(qpn, (int) (value >> Short.SIZE), (int) value & LOW_16_BITS);
        } else if (event == EngineEvent.STATE_CHANGE) {
            refused.remove(qpn);
        }
        traces.onEvent(event, nowNs, qpn, psn, value);
    }

    @Override
    public void onPath(int qpn, PathFigures figures) {
        traces.onPath(qpn, figures);
    }

    /** The peer gets no answer and sees its retries run out, so that only this side can say why. */
    private void onBadPartitionKey(int qpn, int key, int wanted) {
        String kind = "bad P_Key";
        if (warnings.isNew(kind)) {
            warnings.once(kind, "a packet with P_Key " + PartitionKeys.text(key) + " for queue pair 0x" + Integer.toHexString(qpn)
                + (wanted == 0 ? ", which takes only P_Keys of the table," : ", whose P_Key is " + PartitionKeys.text(wanted) + ",")
                + " was dropped; more of them are only counted (drop_wrong_partition_key): give both ends the same partition, with at least"
                + " one of them a full member (0x8000 and above)");
        }
    }

    /** With rnr_retry 7 a request waits without limit, and no completion says what for. */
    private void onReceiverWait(long nowNs, int qpn, int psn) {
        Refused packet = refused.computeIfAbsent(qpn, first -> new Refused());
        if (packet.psn != psn || nowNs - packet.lastNs > NEXT_NS) {
            packet.psn = psn;
            packet.sinceNs = nowNs;
        }
        packet.lastNs = nowNs;
        if (nowNs - packet.sinceNs >= RECEIVER_WAIT_NS && !packet.warned) {
            packet.warned = true;
            warnings.pass("queue pair 0x" + Integer.toHexString(qpn) + " has waited for more than a second because"
                + " its peer has no receive request (RNR NAK) for PSN 0x" + Psn.toString(psn) + ", and goes on: post receives there; with"
                + " rnr_retry below 7 the request would fail after so many waits");
        }
    }
}
