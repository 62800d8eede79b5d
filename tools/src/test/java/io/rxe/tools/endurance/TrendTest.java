package io.rxe.tools.endurance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The judge of tools/dev/endurance notices leaks and nothing else. */
class TrendTest {
    private static final int SAMPLES = 60;

    private final Random random = new Random(7);

    private static boolean isFlat(Resource resource, IntToDoubleFunction value) {
        return Trend.of(resource, IntStream.range(0, SAMPLES).mapToDouble(value).toArray()).isFlat();
    }

    @ParameterizedTest
    @EnumSource(Resource.class)
    void noiseIsFlat(Resource resource) {
        assertTrue(isFlat(resource, i -> 100 + random.nextGaussian()));
        assertTrue(isFlat(resource, i -> 100 - i));
    }

    @ParameterizedTest
    @EnumSource(Resource.class)
    @DisplayName("a leak of one unit at each sample is noticed beneath the noise")
    void aLeakIsNoticed(Resource resource) {
        assertFalse(isFlat(resource, i -> 100 + random.nextGaussian() + i));
    }

    @Test
    void peaksDecideNothing() {
        assertTrue(isFlat(Resource.DESCRIPTORS, i -> i > SAMPLES - 9 ? 500 : 20));
        assertFalse(isFlat(Resource.DESCRIPTORS, i -> i < 8 ? 500 : 20 + i));
    }

    @Test
    void growthIsThatOfTheMedians() {
        Trend trend = Trend.of(Resource.THREADS, IntStream.range(0, 30).mapToDouble(i -> i).toArray());
        assertEquals(20, trend.growth());
        assertEquals(3, trend.allowed());
    }

    @Test
    void fewSamplesAreNotJudged() {
        assertThrows(IllegalArgumentException.class, () -> Trend.of(Resource.HEAP, new double[Trend.LEAST_SAMPLES - 1]));
    }

    @ParameterizedTest
    @EnumSource(Leak.class)
    @DisplayName("a planted leak shows in the samples of this process, and the judge notices it")
    void aPlantedLeakIsNoticed(Leak leak) throws IOException {
        Resource resource = Resource.valueOf(leak.name());
        // Garbage of other tests may be freed meanwhile, so the leak is large, and the first samples do not count.
        for (int i = 0; i < 3; i++) {
            ResourceSample.take();
        }
        double[] values = new double[18];
        for (int i = 0; i < values.length; i++) {
            for (int j = 0; j < 8; j++) {
                leak.grow();
            }
            values[i] = ResourceSample.take().values().get(resource);
        }
        leak.undo();
        assertFalse(Trend.of(resource, values).isFlat());
    }
}
