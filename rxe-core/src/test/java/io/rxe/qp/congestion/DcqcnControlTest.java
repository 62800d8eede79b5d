package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.DcqcnParameter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The reaction point of DCQCN against figures computed by hand from the formulas of the paper, with NVIDIA's usual parameters: rates in
 * Mbit/s, from 8000 at the first CNP; alpha in 1024ths.
 */
public class DcqcnControlTest {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final long MOST_BYTES = 64L << 20;
    private static final double ALPHA = 1023 / 1024.0;
    private static final double G = 1019 / 1024.0;
    private static final CongestionOptions FIRST = CongestionOptions.parse("dcqcn,rate_to_set_on_first_cnp=8gbit,rpg_max_rate=100gbit");

    private DcqcnControl control = controlled(FIRST.with(DcqcnParameter.RPG_BYTE_RESET, 0));
    private long nowNs = 1_000 * MS;

    private static DcqcnControl controlled(CongestionOptions options) {
        return new DcqcnControl(BUFFER_BYTES, MOST_BYTES, options);
    }

    private void with(String more) {
        control = controlled(CongestionOptions.parse("dcqcn,rate_to_set_on_first_cnp=8gbit,rpg_max_rate=100gbit," + more));
    }

    private void notified(long afterNs) {
        nowNs += afterNs;
        assertTrue(control.onNotified(nowNs));
    }

    private void sent(long bytes, long afterNs) {
        nowNs += afterNs;
        control.onSent(bytes, nowNs);
    }

    private double rate() {
        return control.bytesPerSecond() * 8 / 1e6;
    }

    private void assertRates(double current, double target) {
        assertEquals(current, rate(), 0.001 * current);
        assertEquals(target, control.targetPerSecond() * 8 / 1e6, 0.001 * target);
    }

    /** Packets arrive at a rate for so long, in batches. */
    private void arrives(double bitsPerSecond, long forNs, long roundTripNs) {
        for (long endNs = nowNs + forNs; nowNs < endNs;) {
            nowNs += 20 * US;
            control.onSample(roundTripNs, 0, 0, true, nowNs);
            control.onArrived((long) (bitsPerSecond / 8 * 20e-6), nowNs);
        }
    }

    @Test
    @DisplayName("before the first CNP nothing is paced; the window is that of the buffers, on a long path with twice what arrives in it")
    void itStartsAtTheRateOfTheLine() {
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
        assertEquals(BUFFER_BYTES, control.windowBytes());
        arrives(1e9, MS, 50 * US);
        assertEquals(BUFFER_BYTES, control.windowBytes());
        control = controlled(FIRST);
        arrives(1e9, 3 * MS, MS);
        assertEquals(BUFFER_BYTES + 250_000, control.windowBytes(), 1000);
        arrives(1e12, 3 * MS, MS);
        assertEquals(MOST_BYTES, control.windowBytes());
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
    }

    @Test
    @DisplayName("the first CNP sets both rates, if that is asked for, and alpha")
    void theFirstNotification() {
        notified(0);
        assertRates(8000, 8000);
        assertEquals(ALPHA, control.alpha(), 1e-9);
    }

    @Test
    @DisplayName("else it cuts the fastest arrival so far by alpha / 2, which stays the target")
    void theFirstCut() {
        control = controlled(CongestionOptions.DCQCN);
        arrives(2e9, MS, 100 * US);
        arrives(1e9, MS, 100 * US);
        notified(0);
        assertRates(2000 * (1 - ALPHA / 2), 2000);
    }

    @Test
    @DisplayName("a first CNP that comes before an arrival was measured cuts as soon as one was")
    void aVeryEarlyNotificationWaits() {
        control = controlled(CongestionOptions.DCQCN);
        notified(0);
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
        arrives(4e9, 400 * US, 100 * US);
        assertRates(4000 * (1 - ALPHA / 2), 4000);
    }

    @Test
    @DisplayName("alpha: a period with a CNP adds 5 of 1024, one without takes them from its share; each cut is by half of alpha")
    void alphaFollowsNotifications() {
        notified(0);
        notified(50 * US);
        // 1023 / 1024 was raised once, for the CNP at 0, and lowered 49 times; the rate cut by half of that.
        double alpha = (G * ALPHA + 5 / 1024.0) * Math.pow(G, 49);
        assertEquals(0.78599, alpha, 1e-5);
        assertEquals(alpha, control.alpha(), 1e-9);
        assertRates(8000 * (1 - alpha / 2), 8000);
        notified(50 * US);
        double next = (G * alpha + 5 / 1024.0) * Math.pow(G, 49);
        assertEquals(next, control.alpha(), 1e-9);
        assertRates(8000 * (1 - alpha / 2) * (1 - next / 2), 8000);
    }

    @Test
    @DisplayName("a CNP within 4 us of a cut raises alpha only, and one more in the same period changes nothing")
    void cutsAreAPeriodApart() {
        notified(0);
        notified(50 * US);
        double before = rate();
        assertFalse(control.onNotified(nowNs + 100));
        notified(2 * US);
        assertEquals(before, rate());
        notified(2 * US);
        assertTrue(rate() < before);
    }

    @Test
    @DisplayName("one cut leaves rpg_min_dec_fac per cent, and no cut goes below rpg_min_rate")
    void cutsHaveALimit() {
        with("rpg_min_dec_fac=80,dce_tcp_rtt=131071,rpg_min_rate=100mbit");
        notified(0);
        notified(50 * US);
        assertRates(6400, 8000);
        for (int i = 0; i < 100; i++) {
            notified(50 * US);
        }
        assertRates(100, 8000);
    }

    @Test
    @DisplayName("fast recovery: the target stays, and each 300 us half of what is missing comes back")
    void fastRecovery() {
        with("rpg_threshold=5,rpg_byte_reset=0,dce_tcp_rtt=131071");
        notified(0);
        notified(50 * US);
        double cut = 8000 * (1 - ALPHA / 2);
        assertRates(cut, 8000);
        for (int i = 1; i < 5; i++) {
            sent(1, 299 * US);
            assertRates(8000 - (8000 - cut) / (1 << i - 1), 8000);
            sent(1, US);
            assertRates(8000 - (8000 - cut) / (1 << i), 8000);
        }
        sent(1, 300 * US);
        assertRates((8005 + 8000 - (8000 - cut) / 16) / 2, 8005);
    }

    @Test
    @DisplayName("additive increase: 5 Mbit/s more each 300 us while only the timer ends")
    void additiveIncrease() {
        notified(0);
        double rate = 8000;
        double target = 8000;
        for (int i = 0; i < 100; i++) {
            sent(1, 300 * US);
            target += 5;
            rate = (rate + target) / 2;
            assertRates(rate, target);
        }
        assertEquals(8500, target);
    }

    @Test
    @DisplayName("hyper increase: 50 Mbit/s more once the timer and the bytes both came more than rpg_threshold times")
    void hyperIncrease() {
        with("rpg_byte_reset=1000,rpg_threshold=2");
        notified(0);
        sent(64_000, US);
        assertRates(8000, 8000);
        sent(128_000, US);
        assertRates(8007.5 - 1.25, 8010);
        sent(0, 2 * 300 * US);
        assertRates(8020 - (8020 - (8015 + 8006.25) / 2) / 2, 8020);
        sent(0, 300 * US);
        assertEquals(8070, control.targetPerSecond() * 8 / 1e6, 0.1);
    }

    @Test
    @DisplayName("the target falls to the rate with the first cut after an increase; clamp_tgt_rate and its like say which counts")
    void theTargetIsClamped() {
        notified(0);
        notified(50 * US);
        notified(50 * US);
        assertEquals(1e9, control.targetPerSecond(), 1);
        sent(1, 300 * US);
        double before = rate();
        notified(50 * US);
        assertEquals(before, control.targetPerSecond() * 8 / 1e6, 1);
        with("clamp_tgt_rate_after_time_inc=0,rpg_byte_reset=10");
        notified(0);
        notified(50 * US);
        sent(1, 300 * US);
        double target = control.targetPerSecond();
        notified(50 * US);
        assertEquals(target, control.targetPerSecond());
        sent(640, 0);
        before = rate();
        notified(50 * US);
        assertEquals(before, control.targetPerSecond() * 8 / 1e6, 1);
        with("clamp_tgt_rate=1");
        notified(0);
        notified(50 * US);
        before = rate();
        notified(50 * US);
        assertEquals(before, control.targetPerSecond() * 8 / 1e6, 1);
    }

    @Test
    @DisplayName("at rpg_max_rate nothing is paced any more, and the next CNP is a first one")
    void theLimiterIsReleased() {
        control = controlled(CongestionOptions.parse("dcqcn,rate_to_set_on_first_cnp=8gbit,rpg_max_rate=8020mbit"));
        notified(0);
        sent(1, 10 * 300 * US);
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
        assertEquals(0, control.targetPerSecond());
        notified(US);
        assertRates(8000, 8000);
    }

    @Test
    @DisplayName("without rpg_max_rate that is twice the fastest arrival, which a rate reaches although nothing is sent meanwhile")
    void theRateRecovers() {
        control = controlled(CongestionOptions.DCQCN);
        arrives(1e9, MS, 100 * US);
        notified(0);
        sent(1, 100 * 300 * US);
        assertRates(1495, 1500);
        sent(1, 1_000 * MS);
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
    }

    @Test
    @DisplayName("the window is what is in flight at the rate, and the buffers; on a short path the buffers alone")
    void theWindowFollowsTheRate() {
        arrives(1e9, MS, MS);
        notified(0);
        assertEquals(BUFFER_BYTES + 1_000_000, control.windowBytes());
        arrives(1e9, 20 * US, 50 * US);
        assertEquals(BUFFER_BYTES, control.windowBytes());
    }

    @Test
    @DisplayName("few losses, or a small part of what arrives, are chance; many count as one CNP in a round trip")
    void manyLossesCountAsANotification() {
        control = controlled(CongestionOptions.DCQCN);
        control.onLost(100, 100_000);
        arrives(4e9, 2 * MS, 200 * US);
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond(), "nothing was answered");
        control.onLost(20, 1_000);
        arrives(4e9, 220 * US, 200 * US);
        control.onLost(8, 100_000);
        arrives(4e9, 2 * MS, 200 * US);
        assertEquals(CongestionControl.UNPACED, control.bytesPerSecond());
        control.onLost(20, 20_000);
        control.onLost(20, 20_000);
        arrives(4e9, 220 * US, 200 * US);
        assertRates(4000 * (1 - ALPHA / 2), 4000);
    }

    @Test
    @DisplayName("where a queue overflows and queue pairs wait, the rates fall to what arrives")
    void anOverflowEnds() {
        control = controlled(CongestionOptions.DCQCN);
        arrives(4e9, 2 * MS, 200 * US);
        notified(0);
        arrives(1e9, 3 * MS, 200 * US);
        assertTrue(rate() > 3900, () -> "Mbit/s: " + rate());
        control.onLost(20, 20_000);
        control.onFilled();
        arrives(1e9, 220 * US, 200 * US);
        assertRates(1000, 1000);
    }
}
