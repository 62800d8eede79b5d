package io.rxe.sim;

import io.rxe.port.Flow;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Sends as TCP does with selective acknowledgements and CUBIC (RFC 9438, without HyStart): what is overtaken by three later transmissions
 * is lost, the window is cut once a round trip, and a timer of 200 ms at least recovers the rest.
 */
final class CubicSender extends ModelSender {
    private static final double BETA = 0.7;
    private static final double C = 0.4;
    private static final int REORDERING = 3;
    private static final long MINIMUM_TIMEOUT_NS = 200_000_000;

    private record Transmission(int segment, int number, long sentNs) {
    }

    private final ArrayDeque<Transmission> sent = new ArrayDeque<>();
    private final ArrayDeque<Integer> lost = new ArrayDeque<>();
    /** Segments in flight, and the last transmission of each segment. */
    private final BitSet inFlight = new BitSet();
    private int[] latest = new int[1 << 10];
    private int flying;
    private int next;
    private int acknowledged;
    private double window = 10;
    private double threshold = Double.MAX_VALUE;
    private double windowAtLoss;
    private long epochNs;
    private int recoveryEnds;
    private long roundTripNs = MINIMUM_TIMEOUT_NS / 2;
    private long timerNs;

    CubicSender(VirtualTime time, Network network, Flow flow, int payloadBytes) {
        super(time, network, flow, payloadBytes);
        timerNs = time.nowNs();
    }

    @Override
    void onAcknowledged(int segment, int transmission, int expected, long nowNs) {
        timerNs = nowNs;
        pollAtNs = nowNs;
        land(segment, nowNs);
        for (; acknowledged < expected; acknowledged++) {
            land(acknowledged, nowNs);
        }
        while (!sent.isEmpty() && sent.peek().number() < transmission - REORDERING) {
            Transmission overtaken = sent.poll();
            if (isMissing(overtaken)) {
                lose(overtaken.segment(), nowNs);
            }
        }
        while (!sent.isEmpty() && sent.peek().number() <= transmission && !isMissing(sent.peek())) {
            roundTripNs = nowNs - sent.poll().sentNs();
        }
    }

    private boolean isMissing(Transmission transmission) {
        return inFlight.get(transmission.segment()) && latest[transmission.segment()] == transmission.number();
    }

    private void land(int segment, long nowNs) {
        if (inFlight.get(segment)) {
            inFlight.clear(segment);
            flying--;
            grow(nowNs);
        }
    }

    private void grow(long nowNs) {
        if (window < threshold) {
            window++;
            return;
        }
        double seconds = (nowNs - epochNs) / 1e9;
        double cubic = C * Math.pow(seconds - Math.cbrt(windowAtLoss * (1 - BETA) / C), 3) + windowAtLoss;
        double reno = windowAtLoss * BETA + 3 * (1 - BETA) / (1 + BETA) * seconds * 1e9 / roundTripNs;
        window += Math.max(0, Math.max(cubic, reno) - window) / window;
    }

    private void lose(int segment, long nowNs) {
        inFlight.clear(segment);
        flying--;
        lost.add(segment);
        if (latest[segment] >= recoveryEnds) {
            recoveryEnds = transmissions();
            cut(BETA, nowNs);
        }
    }

    private void cut(double factor, long nowNs) {
        windowAtLoss = window;
        window = Math.max(2, factor * window);
        threshold = window;
        epochNs = nowNs;
    }

    private void onTimeout(long nowNs) {
        for (Transmission transmission : sent) {
            if (isMissing(transmission)) {
                lose(transmission.segment(), nowNs);
            }
        }
        sent.clear();
        cut(0.5, nowNs);
        window = 2;
    }

    @Override
    public void poll(long nowNs) {
        long timeoutNs = Math.max(MINIMUM_TIMEOUT_NS, 2 * roundTripNs);
        if (nowNs >= timerNs + timeoutNs) {
            timerNs = nowNs;
            onTimeout(nowNs);
        }
        while (flying < window) {
            send(lost.isEmpty() ? next++ : lost.poll(), nowNs);
        }
        pollAtNs = timerNs + timeoutNs;
    }

    private void send(int segment, long nowNs) {
        if (segment == latest.length) {
            latest = Arrays.copyOf(latest, 2 * segment);
        }
        inFlight.set(segment);
        flying++;
        latest[segment] = transmit(segment);
        sent.add(new Transmission(segment, latest[segment], nowNs));
    }
}
