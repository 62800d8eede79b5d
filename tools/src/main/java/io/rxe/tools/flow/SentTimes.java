package io.rxe.tools.flow;

import java.util.Arrays;

/** When each of the latest sequence numbers was sent last. Grows with what is outstanding, up to a limit. */
final class SentTimes {
    static final long UNKNOWN = Long.MIN_VALUE;
    private static final int LEAST = 64;
    /** As many PSNs as a receiver keeps behind a gap. */
    private static final int MOST = 1 << 16;
    /** Where the capture has no acknowledgements, so that everything looks outstanding. */
    private static final int MOST_UNHEARD = 1 << 10;

    private long[] numbers = filled(LEAST);
    private long[] times = new long[LEAST];

    private static long[] filled(int size) {
        long[] numbers = new long[size];
        Arrays.fill(numbers, -1);
        return numbers;
    }

    /** @param oldest the first number that may be asked for; those before it may be forgotten. */
    void put(long number, long timeNs, long oldest) {
        int at = (int) number & numbers.length - 1;
        if (numbers[at] >= oldest && numbers[at] != number && numbers.length < (oldest == 0 ? MOST_UNHEARD : MOST)) {
            grow();
            at = (int) number & numbers.length - 1;
        }
        numbers[at] = number;
        times[at] = timeNs;
    }

    private void grow() {
        long[] oldNumbers = numbers;
        long[] oldTimes = times;
        numbers = filled(2 * oldNumbers.length);
        times = new long[numbers.length];
        for (int i = 0; i < oldNumbers.length; i++) {
            if (oldNumbers[i] < 0) {
                continue;
            }
            int at = (int) oldNumbers[i] & numbers.length - 1;
            numbers[at] = oldNumbers[i];
            times[at] = oldTimes[i];
        }
    }

    /** Time in ns, or {@link #UNKNOWN}. */
    long get(long number) {
        int at = (int) number & numbers.length - 1;
        return number >= 0 && numbers[at] == number ? times[at] : UNKNOWN;
    }
}
