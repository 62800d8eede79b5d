package io.rxe.device;

import io.rxe.counters.EventRing;
import io.rxe.port.EngineEvent;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the events of an engine as lines of text, to explain a failure. */
public final class EventMessages {
    private static final QueuePairState[] STATES = QueuePairState.values();
    private static final double NS_PER_MS = 1e6;

    private EventMessages() {
    }

    /**
     * Formats the latest events, oldest first, one line each. Engine thread.
     *
     * @param maxLines most lines to return.
     */
    public static List<String> latest(EventRing ring, int maxLines) {
        List<String> lines = new ArrayList<>();
        ring.forEach((event, nowNs, qpn, psn, value) -> lines.add(line(event, nowNs, qpn, psn, value)));
        return lines.subList(Math.max(0, lines.size() - maxLines), lines.size());
    }

    /** Formats one event; arguments as in {@link io.rxe.port.EngineObserver#onEvent}. */
    public static String line(EngineEvent event, long nowNs, int qpn, int psn, long value) {
        return String.format(Locale.ROOT, "%.6f ms qp 0x%x psn %s %s", nowNs / NS_PER_MS, qpn, Psn.toString(psn), describe(event, value));
    }

    private static String describe(EngineEvent event, long value) {
        return event.label() + switch (event) {
            case STATE_CHANGE -> " " + STATES[(int) value >> Byte.SIZE] + " to " + STATES[(int) value & 0xFF];
            case FAILURE -> " in " + STATES[(int) value];
            case RETRANSMISSION -> " of " + value + (value == 1 ? " packet" : " packets");
            case NAK_SENT, NAK_RECEIVED -> ": " + Syndrome.describe((int) value);
            case RNR_WAIT -> String.format(Locale.ROOT, " of %.3f ms", value / NS_PER_MS);
            case STALL -> String.format(Locale.ROOT, " over after %.3f ms", value / NS_PER_MS);
            case TIMEOUT, LOSS_PROBE, IMPLIED_NAK -> ", " + value + " packets outstanding";
            case DROP -> ": " + reason(value);
            case MANAGEMENT_SENT, MANAGEMENT_RECEIVED -> ": attribute 0x" + Long.toHexString(value);
            case PATH_MIGRATION -> " to port " + value;
        };
    }

    private static String reason(long id) {
        for (DropReason reason : DropReason.values()) {
            if (reason.id() == id) {
                return reason.label();
            }
        }
        return "reason " + id;
    }
}
