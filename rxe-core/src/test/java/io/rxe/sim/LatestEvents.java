package io.rxe.sim;

import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;

/** The latest events of an engine as lines of text, to explain a failure. */
final class LatestEvents implements EngineObserver {
    private static final int MOST = 20;
    private static final QueuePairState[] STATES = QueuePairState.values();
    private static final double NS_PER_MS = 1e6;

    private final ArrayDeque<Event> events = new ArrayDeque<>();

    private record Event(EngineEvent event, long nowNs, int qpn, int psn, long value) {
        String line() {
            return String.format(Locale.ROOT, "%.6f ms qp 0x%x psn %s %s", nowNs / NS_PER_MS, qpn, Psn.toString(psn),
                describe(event, value));
        }
    }

    @Override
    public void onEvent(EngineEvent event, long nowNs, int qpn, int psn, long value) {
        if (events.size() == MOST) {
            events.remove();
        }
        events.add(new Event(event, nowNs, qpn, psn, value));
    }

    /** Oldest first. */
    List<String> lines() {
        return events.stream().map(Event::line).toList();
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
            case BAD_PARTITION_KEY -> String.format(Locale.ROOT, " 0x%04x for 0x%04x", value >> 16, value & 0xFFFF);
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
