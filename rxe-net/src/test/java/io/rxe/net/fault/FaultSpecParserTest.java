package io.rxe.net.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultSpecParserTest {
    @Test
    void everyWordIsParsed() {
        FaultSpec spec = FaultSpec.parse(
            " LOSS random 3% 10% duplicate 1.5%  corrupt 0.1%\treorder 25% 50% gap 5 delay 1ms 200us 25% rate 1gbit limit 50 ");
        assertEquals(new FaultSpec(new Probability(0.03, 0.1), null, new Probability(0.015, 0), new Probability(0.001, 0),
            new Probability(0.25, 0.5), 5, 1_000_000, 200_000, 0.25, 1_000_000_000, 50), spec);
    }

    @Test
    void faultsThatAreNotGivenDoNotHappen() {
        assertEquals(new FaultSpec(Probability.NEVER, null, Probability.NEVER, Probability.NEVER, Probability.NEVER, 1, 500_000, 0,
            0, 0, FaultSpec.DEFAULT_LIMIT), FaultSpec.parse("delay 500us"));
    }

    @ParameterizedTest
    @CsvSource({"1s, 1000000000", "1.5ms, 1500000", "10us, 10000", "7ns, 7", "20, 20000", ".5ms, 500000", "2msec, 2000000"})
    void timesHaveTheUnitsOfTc(String time, long ns) {
        assertEquals(ns, FaultSpec.parse("delay " + time).delayNs());
    }

    @ParameterizedTest
    @CsvSource({"1gbit, 1000000000", "10mbit, 10000000", "64kbit, 64000", "1mbps, 8000000", "9600, 9600", "9600bit, 9600",
        "2.5gbit, 2500000000"})
    void ratesHaveTheUnitsOfTc(String rate, long bits) {
        assertEquals(bits, FaultSpec.parse("rate " + rate).rateBitsPerSecond());
    }

    @Test
    void burstsHaveTheDefaultsOfNetem() {
        assertEquals(new GilbertElliott(0.01, 0.99, 1, 0), FaultSpec.parse("loss gemodel 1%").burstLoss());
        assertEquals(new GilbertElliott(0.01, 0.1, 0.7, 0.001), FaultSpec.parse("loss gemodel 1% 10% 70% 0.1%").burstLoss());
    }

    @Test
    void aGapAloneReordersEveryPacketAtTheGap() {
        assertEquals(new Probability(1, 0), FaultSpec.parse("delay 1ms gap 3").reorder());
        FaultSpec never = FaultSpec.parse("delay 1ms reorder 0% gap 3");
        assertEquals(Probability.NEVER, never.reorder());
        assertEquals(Probability.NEVER, FaultSpec.parse(never.toString()).reorder());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "loss 3% 10% duplicate 2% corrupt 0.1% reorder 25% 50% gap 5 delay 1ms 200us 25% rate 1gbit limit 50",
        "delay 500us", "loss gemodel 1% 10% 70% 0.1%", "reorder 5% delay 1ms",
    })
    void aFormattedSpecIsParsedBack(String words) {
        FaultSpec spec = FaultSpec.parse(words);
        assertEquals(spec, FaultSpec.parse(spec.toString()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "\"\"                     | no fault is given: use one or more of limit N, delay TIME",
        "lose 3%                  | 'lose' is not a fault: use limit N, delay TIME",
        "loss                     | loss needs a percentage, for example 3%",
        "loss lots                | loss 'lots' is not a percentage",
        "loss 3ms                 | loss '3ms' is not a percentage in 0%..100%",
        "loss 101%                | loss '101%' is not a percentage in 0%..100%",
        "loss -1%                 | loss '-1%' is not a percentage",
        "loss state 1%            | loss 'state' is not a percentage",
        "loss 1% loss 2%          | 'loss' is given twice",
        "loss 1% drop 2%          | 'drop' is given twice",
        "latency 1ms delay 2ms    | 'delay' is given twice",
        "loss 1% 2% 3%            | '3%' is not a fault",
        "delay 1min               | delay '1min' has no unit of time: write ns, us, ms or s",
        "delay 61s                | delay '61s' is longer than 60s",
        "delay 1ms 2x             | delay's jitter '2x' has no unit of time",
        "reorder 5%               | there is no delay: add one, for example delay 1ms",
        "gap 3                    | there is no delay",
        "rate fast                | rate 'fast' is not a rate",
        "rate 1furlong            | has no unit of a rate: write bit, kbit, mbit, gbit",
        "rate 0bit                | is not in 1bit..1tbit",
        "rate 2tbit               | is not in 1bit..1tbit",
        "limit 0                  | limit '0' is not a whole number in 1..16384",
        "limit 1.5                | limit '1.5' is not a whole number",
        "limit 99999999999999     | is not a whole number in 1..16384",
        "corrupt 1e5              | corrupt '1e5' is not a percentage",
    })
    void aWrongWordIsNamedWithWhatIsAllowed(String words, String sentence) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> FaultSpec.parse(words));
        assertTrue(refused.getMessage().contains(sentence), refused.getMessage());
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Probability(1.1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Probability(Double.NaN, 0));
        assertThrows(IllegalArgumentException.class, () -> new GilbertElliott(0.1, -1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new FaultSpec(new Probability(0.1, 0),
            new GilbertElliott(0.1, 0.1, 1, 0), Probability.NEVER, Probability.NEVER, Probability.NEVER, 1, 0, 0, 0, 0, 1));
    }
}
