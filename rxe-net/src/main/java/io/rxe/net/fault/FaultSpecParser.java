package io.rxe.net.fault;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Parses and formats {@link FaultSpec} in the syntax of tc's netem. */
final class FaultSpecParser {
    private static final String ALLOWED = "limit N, delay TIME [JITTER [CORRELATION%]], loss PERCENT% [CORRELATION%],"
        + " loss gemodel P% [R% [1-H% [1-K%]]], duplicate PERCENT% [CORRELATION%], corrupt PERCENT% [CORRELATION%],"
        + " reorder PERCENT% [CORRELATION%] [gap N], rate RATE";

    private static final Map<String, String> SYNONYMS = Map.of("drop", "loss", "latency", "delay");

    private final FaultWords words;
    private final Set<String> given = new TreeSet<>();

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
        this.words = new FaultWords("fault '" + text + "'", text.toLowerCase(Locale.ROOT));
    }

    FaultSpec read() {
        if (!words.hasNext()) {
            throw new IllegalArgumentException("no fault is given: use one or more of " + ALLOWED);
        }
        while (words.hasNext()) {
            String word = words.next("a fault");
            if (!given.add(SYNONYMS.getOrDefault(word, word))) {
                throw words.refused("'" + word + "' is given twice: give it once");
            }
            readOne(word);
        }
        if (given.contains("gap") && !given.contains("reorder")) {
            reorder = new Probability(1, 0);
        }
        try {
            return new FaultSpec(loss, burstLoss, duplicate, corrupt, reorder, gap, delayNs, jitterNs, jitterCorrelation,
                rateBitsPerSecond, limit);
        } catch (IllegalArgumentException e) {
            throw words.refused(e.getMessage());
        }
    }

    private void readOne(String word) {
        switch (word) {
            case "loss", "drop" -> readLoss();
            case "duplicate" -> duplicate = probability(word);
            case "corrupt" -> corrupt = probability(word);
            case "reorder" -> reorder = probability(word);
            case "gap" -> gap = (int) words.whole(word, 1, Integer.MAX_VALUE);
            case "limit" -> limit = (int) words.whole(word, 1, FaultSpec.MAX_LIMIT);
            case "rate" -> rateBitsPerSecond = rate();
            case "delay", "latency" -> {
                delayNs = time(word);
                jitterNs = words.hasNumber() ? time(word + "'s jitter") : 0;
                jitterCorrelation = words.hasNumber() ? share(word + "'s correlation") : 0;
            }
            default -> throw words.refused("'" + word + "' is not a fault: use " + ALLOWED);
        }
    }

    private void readLoss() {
        if (words.take("gemodel")) {
            double toBad = share("gemodel's p");
            double toGood = words.hasNumber() ? share("gemodel's r") : 1 - toBad;
            double lossInBad = words.hasNumber() ? share("gemodel's 1-h") : 1;
            burstLoss = new GilbertElliott(toBad, toGood, lossInBad, words.hasNumber() ? share("gemodel's 1-k") : 0);
            return;
        }
        words.take("random");
        loss = probability("loss");
    }

    private Probability probability(String what) {
        return new Probability(share(what), words.hasNumber() ? share(what + "'s correlation") : 0);
    }

    private double share(String what) {
        return words.percents(what).movePointLeft(2).doubleValue();
    }

    private long time(String what) {
        FaultWords.Quantity time = words.quantity(what, "a time", "500us");
        // Without a unit tc means microseconds.
        int digits = time.unit().isEmpty() ? FaultWords.digits("us") : FaultWords.digits(time.unit());
        if (digits < 0) {
            throw words.refused(what + " '" + time.word() + "' has no unit of time: write ns, us, ms or s, for example 500us");
        }
        return words.ns(what, time, digits, FaultSpec.MAX_DELAY_NS);
    }

    private long rate() {
        FaultWords.Quantity number = words.quantity("rate", "a rate", "1gbit");
        String unit = number.unit();
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
            throw words.refused("rate '" + number.word() + "' has no unit of a rate: write bit, kbit, mbit, gbit (or bps, kbps, mbps, gbps"
                + " for bytes a second), for example 1gbit");
        }
        BigDecimal rate = number.value().movePointRight(3 * power).multiply(BigDecimal.valueOf(bits));
        if (rate.compareTo(BigDecimal.ONE) < 0 || rate.compareTo(BigDecimal.valueOf(1_000_000_000_000L)) > 0) {
            throw words.refused("rate '" + number.word() + "' is not in 1bit..1tbit");
        }
        return rate.longValue();
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
        if (spec.gap() > 1 && !spec.reorder().isNever()) {
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
