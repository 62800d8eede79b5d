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
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,18})?)([A-Za-z%]*)");
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

    /** A constant of an enum. */
    <T extends Enum<T>> T constant(String word, String what, T[] all, Function<T, String> name) {
        for (T one : all) {
            if (name.apply(one).equalsIgnoreCase(word)) {
                return one;
            }
        }
        throw refused("'" + word + "' is no " + what + ": use " + Arrays.stream(all).map(name).collect(Collectors.joining(", ")));
    }

    long whole(String what, long least, long most) {
        String word = next(what);
        try {
            long value = Long.decode(word);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Refused below.
        }
        throw refused(what + " '" + word + "' is no whole number in " + least + ".." + most);
    }

    Trigger share() {
        Matcher number = number("the share", "1%");
        BigDecimal percent = new BigDecimal(number.group(1));
        if (percent.signum() <= 0 || percent.compareTo(BigDecimal.valueOf(100)) > 0 || percent.stripTrailingZeros().scale() > 6) {
            throw refused("the share '" + number.group() + "' is not in 0.000001%..100%");
        }
        return new Trigger(Trigger.Kind.SHARE, percent.movePointRight(6).longValueExact());
    }

    long time(String what) {
        Trigger read = timeOrSize(what);
        if (read.kind() != Trigger.Kind.AFTER_TIME) {
            throw refused(what + " '" + words[next - 1] + "' is no time: write for example 500ms or 2s");
        }
        return read.value();
    }

    Trigger timeOrSize(String what) {
        Matcher number = number(what, "2s or 100MB");
        BigDecimal value = new BigDecimal(number.group(1));
        int digits = switch (number.group(2).toLowerCase(Locale.ROOT)) {
            case "s" -> 9;
            case "ms" -> 6;
            case "us" -> 3;
            case "ns" -> 0;
            default -> -1;
        };
        if (digits >= 0) {
            BigDecimal ns = value.movePointRight(digits);
            if (ns.compareTo(BigDecimal.valueOf(LONGEST_NS)) > 0) {
                throw refused(what + " '" + number.group() + "' is longer than " + LONGEST_NS / 1_000_000_000 + "s");
            }
            return new Trigger(Trigger.Kind.AFTER_TIME, ns.longValue());
        }
        int thousands = switch (number.group(2).toUpperCase(Locale.ROOT)) {
            case "B" -> 0;
            case "KB" -> 1;
            case "MB" -> 2;
            case "GB" -> 3;
            default -> throw refused(what + " '" + number.group() + "' has no unit: write ns, us, ms or s, or B, KB, MB or GB, for example"
                + " 2s or 100MB");
        };
        BigDecimal bytes = value.movePointRight(3 * thousands);
        if (bytes.compareTo(BigDecimal.valueOf(1, -15)) > 0) {
            throw refused(what + " '" + number.group() + "' is more than 1000000GB");
        }
        return new Trigger(Trigger.Kind.AFTER_BYTES, bytes.longValue());
    }

    private Matcher number(String what, String example) {
        String word = next(what);
        Matcher number = NUMBER.matcher(word);
        if (!number.matches()) {
            throw refused(what + " '" + word + "' is no number: write for example " + example);
        }
        return number;
    }
}
