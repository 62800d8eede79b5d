package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

public class HostDelayCodeTest {
    private static final long US = 1_000;

    @Test
    @DisplayName("a code is at least the delay that it was made of, and the next smaller one is not, but below 8 us it is 0")
    void aCodeIsAnUpperBound() {
        for (long ns = 0; ns <= HostDelayCode.ns(HostDelayCode.MAX); ns += 1 + ns / 100) {
            int code = HostDelayCode.of(ns);
            long delayNs = ns;
            assertTrue(code == 0 ? ns < 8_192 : HostDelayCode.ns(code) >= ns, () -> delayNs + " ns have the code " + code);
            assertTrue(code <= 1 || HostDelayCode.ns(code - 1) < ns, () -> delayNs + " ns have the code " + code);
        }
    }

    @Test
    @DisplayName("codes 1 to 5 are 16, 24, 32, 48 and 64 us of 1024 ns, and the largest stands for anything longer")
    void theSteps() {
        int[] us = {0, 16, 24, 32, 48, 64};
        for (int code = 0; code < us.length; code++) {
            assertEquals(us[code] * 1_024L, HostDelayCode.ns(code));
        }
        assertEquals(HostDelayCode.MAX, HostDelayCode.of(60_000_000_000L));
        assertTrue(HostDelayCode.ns(HostDelayCode.MAX) > 500_000 * US);
    }
}
