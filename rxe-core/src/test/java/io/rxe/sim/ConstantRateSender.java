package io.rxe.sim;

import io.rxe.port.Flow;

/** Sends at a rate, whatever arrives. */
final class ConstantRateSender extends ModelSender {
    private final double intervalNs;
    private final double beginNs;

    ConstantRateSender(VirtualTime time, Network network, Flow flow, int payloadBytes, double bitsPerSecond) {
        super(time, network, flow, payloadBytes);
        this.intervalNs = payloadBits() * 1e9 / bitsPerSecond;
        this.beginNs = time.nowNs();
    }

    @Override
    void onAcknowledged(int segment, int transmission, int expected, long nowNs) {
        // It does not listen.
    }

    @Override
    public void poll(long nowNs) {
        transmit(transmissions());
        pollAtNs = (long) (beginNs + transmissions() * intervalNs);
    }
}
