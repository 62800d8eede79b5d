package io.rxe.sim;

import io.rxe.port.Flow;

/**
 * Sends as the requester of rdma_rxe does: a fixed window, everything from a gap on again after a NAK, and a timer for what no NAK reports.
 *
 * <p>Source: rules R1 and T1 of docs/rules.md; the window is the kernel's RXE_MAX_UNACKED_PSNS.
 */
final class GoBackNSender extends ModelSender {
    private static final int WINDOW = 128;
    /** Timeout 14. */
    private static final long TIMEOUT_NS = 4096L << 14;

    private int acknowledged;
    private int next;
    private long timerNs;

    GoBackNSender(VirtualTime time, Network network, Flow flow, int payloadBytes) {
        super(time, network, flow, payloadBytes);
        timerNs = time.nowNs();
    }

    @Override
    void onAcknowledged(int segment, int transmission, int expected, long nowNs) {
        if (expected > acknowledged || segment > expected) {
            timerNs = nowNs;
        }
        acknowledged = Math.max(acknowledged, expected);
        next = segment > expected ? acknowledged : Math.max(next, acknowledged);
        pollAtNs = nowNs;
    }

    @Override
    public void poll(long nowNs) {
        if (nowNs >= timerNs + TIMEOUT_NS) {
            timerNs = nowNs;
            next = acknowledged;
        }
        while (next - acknowledged < WINDOW) {
            transmit(next++);
        }
        pollAtNs = timerNs + TIMEOUT_NS;
    }
}
