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
    /** The next one of those behind {@link #ALL} that is said. */
    private long next;

    /** What to say for the next sentence; null for nothing. */
    synchronized String toSay(String sentence) {
        if (count == 0 || !Objects.equals(sentence, last)) {
            last = sentence;
            count = 0;
            next = 10 * ALL;
        }
        count++;
        if (count <= ALL) {
            return sentence;
        }
        if (count < next) {
            return null;
        }
        next *= 10;
        return sentence + " (" + count + " times in a row)";
    }
}
