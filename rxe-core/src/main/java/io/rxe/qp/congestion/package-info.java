/**
 * Congestion control: how much may be in flight to a peer, and how fast it leaves. {@link io.rxe.qp.congestion.CongestionControl} is all
 * that the send windows see of it; {@link io.rxe.verbs.CongestionOptions} chooses {@link io.rxe.qp.congestion.DelayControl}, {@link
 * io.rxe.qp.congestion.DcqcnControl} or {@link io.rxe.qp.congestion.NoControl}. {@link io.rxe.qp.congestion.Pacer} turns a rate into
 * times, {@link io.rxe.qp.congestion.ResponsePacer} the rate that a peer told. Knows neither packets nor queue pairs, but bytes and times.
 *
 * <p>Everything here belongs to the engine thread. Times in nanoseconds.
 */
package io.rxe.qp.congestion;
