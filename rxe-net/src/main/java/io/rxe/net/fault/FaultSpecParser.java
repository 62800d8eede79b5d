package io.rxe.net.fault;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats {@link FaultSpec} in the syntax of tc's netem. */
final class FaultSpecParser {
    private static final String ALLOWED = "limit N, delay TIME [JITTER [CORRELATION%]], loss PERCENT% [CORRELATION%],"
        + " loss gemodel P% [R% [1-H% [1-K%]]], duplicate PERCENT% [CORRELATION%], corrupt PERCENT% [CORRELATION%],"
        + " reorder PERCENT% [CORRELATION%] [gap N], rate RATE";
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,18}(?:\\.\\d{0,18})?|\\.\\d{1,18})([a-z%]*)");

    private final String text;
    private final String[] words;
    private final Set<String> given = new TreeSet<>();
    private int next;

    private Probability loss = Probability.NEVER;
    private GilbertElliott burstLoss;
    private Probability duplicate = Probability.NEVER;
    private Probability corrupt = Probability.NEVER;
    private Probability reorder = Probability.NEVER;
    private int gap = 1;
    private long delayNs;
    private long jitterNs;
    private double jitterCorrelation;
    private long rateBitsPerSecond;
    private int limit = FaultSpec.DEFAULT_LIMIT;

    FaultSpecParser(String text) {
        this.text = text;
        this.words = text.isBlank() ? new String[0] : text.strip().toLowerCase(Locale.ROOT).split("\\s+");
    }

    FaultSpec read() {
        if (words.length == 0) {
            throw new IllegalArgumentException("no fault is given: use one or more of " + ALLOWED);
        }
        while (next < words.length) {
            String word = words[next++];
            if (!given.add(word)) {
                throw invalid("'" + word + "' is given twice: give it once");
            }
            readOne(word);
        }
        if (given.contains("gap") && reorder.isNever()) {
            reorder = new Probability(1, 0);
        }
        try {
            return new FaultSpec(loss, burstLoss, duplicate, corrupt, reorder, gap, delayNs, jitterNs, jitterCorrelation,
                rateBitsPerSecond, limit);
        } catch (IllegalArgumentException e) {
            throw invalid(e.getMessage());
        }
    }

    private void readOne(String word) {
        switch (word) {
            case "loss", "drop" -> readLoss();
            case "duplicate" -> duplicate = probability(word);
            case "corrupt" -> corrupt = probability(word);
            case "reorder" -> reorder = probability(word);
            case "gap" -> gap = (int) whole(word, Integer.MAX_VALUE);
            case "limit" -> limit = (int) whole(word, FaultSpec.MAX_LIMIT);
            case "rate" -> rateBitsPerSecond = rate();
            case "delay", "latency" -> {
                delayNs = time(word);
                jitterNs = hasNumber() ? time(word + "'s jitter") : 0;
                jitterCorrelation = hasNumber() ? share(word + "'s correlation") : 0;
            }
            default -> throw invalid("'" + word + "' is not a fault: use " + ALLOWED);
        }
    }

    private void readLoss() {
        if (next < words.length && "gemodel".equals(words[next])) {
            next++;
            double toBad = share("gemodel's p");
            double toGood = hasNumber() ? share("gemodel's r") : 1 - toBad;
            double lossInBad = hasNumber() ? share("gemodel's 1-h") : 1;
            burstLoss = new GilbertElliott(toBad, toGood, lossInBad, hasNumber() ? share("gemodel's 1-k") : 0);
            return;
        }
        if (next < words.length && "random".equals(words[next])) {
            next++;
        }
        loss = probability("loss");
    }

    private Probability probability(String what) {
        return new Probability(share(what), hasNumber() ? share(what + "'s correlation") : 0);
    }

    private boolean hasNumber() {
        return next < words.length && NUMBER.matcher(words[next]).matches();
    }

    private double share(String what) {
        Matcher number = number(what, "a percentage", "3%");
        BigDecimal percent = new BigDecimal(number.group(1));
        if (!number.group(2).isEmpty() && !"%".equals(number.group(2)) || percent.compareTo(BigDecimal.valueOf(100)) > 0) {
            throw invalid(what + " '" + number.group() + "' is not a percentage in 0%..100%: write for example 3%");
        }
        return percent.movePointLeft(2).doubleValue();
    }

    private long time(String what) {
        Matcher number = number(what, "a time", "500us");
        int digits = switch (number.group(2)) {
            case "s", "sec", "secs" -> 9;
            case "ms", "msec", "msecs" -> 6;
            // Without a unit tc means microseconds.
            case "us", "usec", "usecs", "" -> 3;
            case "ns", "nsec", "nsecs" -> 0;
            default -> throw invalid(what + " '" + number.group() + "' has no unit of time: write ns, us, ms or s, for example"
                + " 500us");
        };
        BigDecimal ns = new BigDecimal(number.group(1)).movePointRight(digits);
        if (ns.compareTo(BigDecimal.valueOf(FaultSpec.MAX_DELAY_NS)) > 0) {
            throw invalid(what + " '" + number.group() + "' is longer than " + FaultSpec.MAX_DELAY_NS / 1_000_000_000L + "s");
        }
        return ns.longValue();
    }

    private long rate() {
        Matcher number = number("rate", "a rate", "1gbit");
        String unit = number.group(2);
        int bits = 1;
        if (unit.endsWith("bps")) {
            // As in tc, bps are bytes.
            bits = 8;
            unit = unit.substring(0, unit.length() - 3);
        } else if (unit.endsWith("bit")) {
            unit = unit.substring(0, unit.length() - 3);
        }
        int power = unit.isEmpty() ? 0 : "kmgt".indexOf(unit) + 1;
        if (unit.length() > 1 || power == 0 && !unit.isEmpty()) {
            throw invalid("rate '" + number.group() + "' has no unit of a rate: write bit, kbit, mbit, gbit (or bps, kbps, mbps, gbps"
                + " for bytes a second), for example 1gbit");
        }
        BigDecimal rate = new BigDecimal(number.group(1)).movePointRight(3 * power).multiply(BigDecimal.valueOf(bits));
        if (rate.compareTo(BigDecimal.ONE) < 0 || rate.compareTo(BigDecimal.valueOf(1_000_000_000_000L)) > 0) {
            throw invalid("rate '" + number.group() + "' is not in 1bit..1tbit");
        }
        return rate.longValue();
    }

    private long whole(String what, int most) {
        Matcher number = number(what, "a number", "100");
        BigDecimal value = new BigDecimal(number.group(1));
        if (!number.group(2).isEmpty() || value.stripTrailingZeros().scale() > 0 || value.compareTo(BigDecimal.ONE) < 0
            || value.compareTo(BigDecimal.valueOf(most)) > 0) {
            throw invalid(what + " '" + number.group() + "' is not a whole number in 1.." + most);
        }
        return value.longValue();
    }

    private Matcher number(String what, String kind, String example) {
        if (next == words.length) {
            throw invalid(what + " needs " + kind + ", for example " + example);
        }
        String word = words[next++];
        Matcher number = NUMBER.matcher(word);
        if (!number.matches()) {
            throw invalid(what + " '" + word + "' is not " + kind + ": write for example " + example);
        }
        return number;
    }

    private IllegalArgumentException invalid(String sentence) {
        return new IllegalArgumentException("fault '" + text + "': " + sentence);
    }

    static String write(FaultSpec spec) {
        StringBuilder out = new StringBuilder();
        out.append("limit ").append(spec.limit());
        if (spec.delayNs() > 0 || spec.jitterNs() > 0) {
            out.append(" delay ").append(spec.delayNs()).append("ns");
            if (spec.jitterNs() > 0) {
                out.append(' ').append(spec.jitterNs()).append("ns").append(percents(spec.jitterCorrelation()));
            }
        }
        append(out, "loss", spec.loss());
        GilbertElliott bursts = spec.burstLoss();
        if (bursts != null) {
            out.append(" loss gemodel").append(percents(bursts.toBad())).append(percents(bursts.toGood()))
                .append(percents(bursts.lossInBad())).append(percents(bursts.lossInGood()));
        }
        append(out, "duplicate", spec.duplicate());
        append(out, "reorder", spec.reorder());
        if (spec.gap() > 1) {
            out.append(" gap ").append(spec.gap());
        }
        append(out, "corrupt", spec.corrupt());
        if (spec.rateBitsPerSecond() > 0) {
            out.append(" rate ").append(spec.rateBitsPerSecond()).append("bit");
        }
        return out.toString();
    }

    private static void append(StringBuilder out, String word, Probability probability) {
        if (!probability.isNever()) {
            out.append(' ').append(word).append(percents(probability.share()));
            if (probability.correlation() > 0) {
                out.append(percents(probability.correlation()));
            }
        }
    }

    private static String percents(double share) {
        return " " + BigDecimal.valueOf(share).movePointRight(2).stripTrailingZeros().toPlainString() + "%";
    }
}
