package io.rxe.net.fault;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The words of one fault or line, read one after another; what cannot be read is refused with the text it stands in. */
final class FaultWords {
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,18}(?:\\.\\d{0,18})?|\\.\\d{1,18})([A-Za-z%]*)");
    private static final long LONGEST_NS = 86_400_000_000_000L;

    private final String where;
    private final String[] words;
    private int next;

    /** @param where begins the sentence of every refusal. */
    FaultWords(String where, String text) {
        this.where = where;
        this.words = text.isBlank() ? new String[0] : text.strip().split("\\s+");
    }

    boolean hasNext() {
        return next < words.length;
    }

    /** The next word, or a refusal that says what is missing. */
    String next(String what) {
        if (!hasNext()) {
            throw refused(what + " is missing at the end");
        }
        return words[next++];
    }

    /** Takes the next word if it is this one. */
    boolean take(String word) {
        boolean isNext = hasNext() && words[next].equalsIgnoreCase(word);
        next += isNext ? 1 : 0;
        return isNext;
    }

    boolean isShareNext() {
        return hasNext() && words[next].endsWith("%");
    }

    IllegalArgumentException refused(String sentence) {
        return new IllegalArgumentException(where + ": " + sentence);
    }

    void end() {
        if (hasNext()) {
            throw refused("'" + words[next] + "' is too much: write nth N, every N, P%, after TIME or after SIZE once, and qp N");
        }
    }

    <T extends Enum<T>> T constant(String word, String what, T[] all, Function<T, String> name) {
        for (T one : all) {
            if (name.apply(one).equalsIgnoreCase(word)) {
                return one;
            }
        }
        throw refused("'" + word + "' is no " + what + ": use " + Arrays.stream(all).map(name).collect(Collectors.joining(", ")));
    }

    /** Decimal, or hexadecimal behind 0x. */
    long whole(String what, long least, long most) {
        String word = next(what);
        try {
            long value = word.startsWith("0x") ? Long.parseLong(word.substring(2), 16) : Long.parseLong(word);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Refused below.
        }
        throw refused(what + " '" + word + "' is not a whole number in " + least + ".." + most);
    }

    /** Whether a number follows, with or without a unit. */
    boolean hasNumber() {
        return hasNext() && NUMBER.matcher(words[next]).matches();
    }

    /**
     * A number with its unit.
     *
     * @param unit in lower case; empty for none.
     * @param word as it is written.
     */
    record Quantity(BigDecimal value, String unit, String word) {
    }

    /** @param kind what is wanted, with its article. */
    Quantity quantity(String what, String kind, String example) {
        if (!hasNext()) {
            throw refused(what + " needs " + kind + ", for example " + example);
        }
        String word = words[next++];
        Matcher number = NUMBER.matcher(word);
        if (!number.matches()) {
            throw refused(what + " '" + word + "' is not " + kind + ": write for example " + example);
        }
        return new Quantity(new BigDecimal(number.group(1)), number.group(2).toLowerCase(Locale.ROOT), word);
    }

    /** Percents, 0 to 100. */
    BigDecimal percents(String what) {
        Quantity percents = quantity(what, "a percentage", "3%");
        if (!percents.unit().isEmpty() && !"%".equals(percents.unit()) || percents.value().compareTo(BigDecimal.valueOf(100)) > 0) {
            throw refused(what + " '" + percents.word() + "' is not a percentage in 0%..100%: write for example 3%");
        }
        return percents.value();
    }

    Trigger share() {
        BigDecimal percents = percents("the share");
        if (percents.signum() <= 0 || percents.stripTrailingZeros().scale() > 6) {
            throw refused("the share '" + words[next - 1] + "' is not in 0.000001%..100%");
        }
        return new Trigger(Trigger.Kind.SHARE, percents.movePointRight(6).longValueExact());
    }

    /** How many digits a unit of time is before nanoseconds; -1 for another unit. */
    static int digits(String unit) {
        return switch (unit) {
            case "s", "sec", "secs" -> 9;
            case "ms", "msec", "msecs" -> 6;
            case "us", "usec", "usecs" -> 3;
            case "ns", "nsec", "nsecs" -> 0;
            default -> -1;
        };
    }

    /**
     * A time in nanoseconds.
     *
     * @param digits of its unit, see {@link #digits}.
     */
    long ns(String what, Quantity time, int digits, long longestNs) {
        BigDecimal ns = time.value().movePointRight(digits);
        if (ns.compareTo(BigDecimal.valueOf(longestNs)) > 0) {
            throw refused(what + " '" + time.word() + "' is longer than " + longestNs / 1_000_000_000 + "s");
        }
        return ns.longValue();
    }

    long time(String what) {
        Trigger read = timeOrSize(what);
        if (read.kind() != Trigger.Kind.AFTER_TIME) {
            throw refused(what + " '" + words[next - 1] + "' is no time: write for example 500ms or 2s");
        }
        return read.value();
    }

    Trigger timeOrSize(String what) {
        Quantity read = quantity(what, "a time or a size", "2s or 100MB");
        int digits = digits(read.unit());
        if (digits >= 0) {
            return new Trigger(Trigger.Kind.AFTER_TIME, ns(what, read, digits, LONGEST_NS));
        }
        int thousands = switch (read.unit()) {
            case "b" -> 0;
            case "kb" -> 1;
            case "mb" -> 2;
            case "gb" -> 3;
            default -> throw refused(what + " '" + read.word() + "' has no unit: write ns, us, ms or s, or B, KB, MB or GB, for example"
                + " 2s or 100MB");
        };
        BigDecimal bytes = read.value().movePointRight(3 * thousands);
        if (bytes.compareTo(BigDecimal.valueOf(1, -15)) > 0) {
            throw refused(what + " '" + read.word() + "' is more than 1000000GB");
        }
        return new Trigger(Trigger.Kind.AFTER_BYTES, bytes.longValue());
    }
}
