package io.rxe.net.process;

import java.util.Objects;

/**
 * Which of many sentences alike, one behind the other, are said: the first ten, then the hundredth, the thousandth and so on. A program
 * that tries a verb again until it succeeds would fill a disk. Any thread.
 */
final class Repetition {
    private static final long ALL = 10;

    private String last;
    private long count;

    /** What to say for the next sentence; null for nothing. */
    synchronized String toSay(String sentence) {
        count = Objects.equals(sentence, last) ? count + 1 : 1;
        last = sentence;
        if (count <= ALL) {
            return sentence;
        }
        return isPowerOfTen(count) ? sentence + " (" + count + " times in a row)" : null;
    }

    private static boolean isPowerOfTen(long number) {
        long power = 1;
        while (power < number) {
            power *= 10;
        }
        return power == number;
    }
}
