package io.rxe.qp.send;

import io.rxe.time.HostDelay;


/**
 * The send side of an RC queue pair, which its requester and its completer share.
 *
 * @param state     requests and sequence numbers.
 * @param window    packets in flight.
 * @param rtt       the round trip.
 * @param retry     retry counters, ACK timer, RNR wait.
 * @param keepAlive keep-alives.
 * @param credits   what the peer has receive requests for.
 * @param hostDelay how long this host delays packets.
 */
public record SendSide(SendState state, SendWindow window, RttEstimator rtt, RetryState retry, KeepAlive keepAlive, SendCredits credits,
                       HostDelay hostDelay) {
    /** The send side of a new queue pair. */
    public static SendSide of(SendState state, HostDelay hostDelay) {
        RttEstimator rtt = new RttEstimator();
        return new SendSide(state, new SendWindow(rtt), rtt, new RetryState(), new KeepAlive(), new SendCredits(), hostDelay);
    }
}
