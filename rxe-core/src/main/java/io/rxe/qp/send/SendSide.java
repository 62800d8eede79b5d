package io.rxe.qp.send;

/**
 * The send side of an RC queue pair, which its requester and its completer share.
 *
 * @param state     requests and sequence numbers.
 * @param window    packets in flight.
 * @param rtt       the round trip.
 * @param retry     retry counters, ACK timer, RNR wait.
 * @param keepAlive keep-alives.
 * @param credits   what the peer has receive requests for.
 */
public record SendSide(SendState state, SendWindow window, RttEstimator rtt, RetryState retry, KeepAlive keepAlive, SendCredits credits) {
    /** The send side of a new queue pair. */
    public static SendSide of(SendState state) {
        RttEstimator rtt = new RttEstimator();
        return new SendSide(state, new SendWindow(rtt), rtt, new RetryState(), new KeepAlive(), new SendCredits());
    }
}
