package io.rxe.verbs;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What can be set of DCQCN, with the names, units, ranges and defaults of NVIDIA's adapters. Rates are in bits per second here, and times
 * in microseconds. Source: NVIDIA, "DCQCN CC Parameters" (DOCA, and community document DOC-2790), and what mlxconfig shows of ConnectX. The
 * unit of rpg_byte_reset is that of Google's model of these adapters, Isekai: NVIDIA's words have bytes, of which 32767 would be a few
 * packets.
 */
public enum DcqcnParameter {
    /** Whether the target rate falls to the current one with each cut; else only with the first cut after an increase. */
    CLAMP_TGT_RATE(Unit.FLAG, 0, 1, 0),
    /** Whether an increase by the timer counts for that, as one by the byte counter does. */
    CLAMP_TGT_RATE_AFTER_TIME_INC(Unit.FLAG, 0, 1, 1),
    /** Time between two increases by the timer. */
    RPG_TIME_RESET(Unit.TIME, 1, 131_071, 300),
    /** What is sent between two increases by the byte counter, in 64 bytes: 2 MB; 0 for no increase. */
    RPG_BYTE_RESET(Unit.COUNT, 0, 32_767, 32_767),
    /** Increases by one of the two after which fast recovery ends, by both after which hyper increase begins; 5 in the paper. */
    RPG_THRESHOLD(Unit.COUNT, 1, 31, 1),
    /** The rate at which nothing is paced any more; 0 for that of the line. */
    RPG_MAX_RATE(Unit.RATE, 0, Unit.MOST_RATE, 0),
    /** Additive increase of the target rate. */
    RPG_AI_RATE(Unit.RATE, Unit.LEAST_RATE, Unit.MOST_RATE, 5_000_000),
    /** Hyper increase of the target rate. */
    RPG_HAI_RATE(Unit.RATE, Unit.LEAST_RATE, Unit.MOST_RATE, 50_000_000),
    /** A cut is by alpha / 2^rpg_gd, with alpha as a number of ten bits: 11 halves the rate at most, 10 can stop it. */
    RPG_GD(Unit.COUNT, 10, 15, 11),
    /** Per cent of the rate that one cut leaves at least. */
    RPG_MIN_DEC_FAC(Unit.COUNT, 1, 100, 50),
    /** The least rate. */
    RPG_MIN_RATE(Unit.RATE, Unit.LEAST_RATE, Unit.MOST_RATE, 1_000_000),
    /** Both rates after the first CNP; 0 for a cut from the rate of the line. */
    RATE_TO_SET_ON_FIRST_CNP(Unit.RATE, 0, Unit.MOST_RATE, 0),
    /** Share of alpha, in 1024ths, that stays at each update. */
    DCE_TCP_G(Unit.COUNT, 0, 1023, 1019),
    /** Time between two updates of alpha. */
    DCE_TCP_RTT(Unit.TIME, 1, 131_071, 1),
    /** Least time between two cuts. */
    RATE_REDUCE_MONITOR_PERIOD(Unit.TIME, 1, 0xFFFF_FFFFL, 4),
    /** Alpha at the first CNP, in 1024ths. */
    INITIAL_ALPHA_VALUE(Unit.COUNT, 1, 1023, 1023);

    private static final Pattern QUANTITY = Pattern.compile("([0-9]{1,15})([a-z]*)");

    private final Unit unit;
    private final long least;
    private final long most;
    private final long usual;

    DcqcnParameter(Unit unit, long least, long most, long usual) {
        this.unit = unit;
        this.least = least;
        this.most = most;
        this.usual = usual;
    }

    /** What a value counts, with the words for multiples, and for a number alone. */
    private enum Unit {
        FLAG("flag: use 0 or 1", Map.of("", 1L)),
        COUNT("number: use digits only", Map.of("", 1L)),
        TIME("time: use a whole number of us or ms, such as 300us", Map.of("", 1L, "us", 1L, "ms", 1_000L)),
        RATE("rate: use a whole number of kbit, mbit or gbit, such as 5mbit",
            Map.of("", 1_000_000L, "kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L));

        static final long LEAST_RATE = 1_000;
        static final long MOST_RATE = 10_000_000_000_000L;

        private final String remedy;
        private final Map<String, Long> multiples;

        Unit(String remedy, Map<String, Long> multiples) {
            this.remedy = remedy;
            this.multiples = multiples;
        }

        String text(long value) {
            return switch (this) {
                case FLAG, COUNT -> Long.toString(value);
                case TIME -> value + "us";
                case RATE -> value % 1_000_000 == 0 ? value / 1_000_000 + "mbit" : value / 1_000 + "kbit";
            };
        }
    }

    /** The name that adapters give it: rpg_ai_rate. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What holds unless it is set; rates in bits per second, times in microseconds. */
    public long defaultValue() {
        return usual;
    }

    /** A value as {@link CongestionOptions#parse} reads it: 5mbit. */
    String text(long value) {
        return unit.text(value);
    }

    static DcqcnParameter named(String label) {
        for (DcqcnParameter parameter : values()) {
            if (parameter.label().equals(label)) {
                return parameter;
            }
        }
        throw new IllegalArgumentException("'" + label + "' is no parameter of dcqcn: use one of "
            + Arrays.stream(values()).map(DcqcnParameter::label).collect(Collectors.joining(", ")));
    }

    /** Reads a value: digits, and for rates kbit, mbit or gbit, for times us or ms; NVIDIA's Mbit/s and microseconds without. */
    long parse(String text) {
        Matcher matcher = QUANTITY.matcher(text.toLowerCase(Locale.ROOT));
        Long multiple = matcher.matches() ? unit.multiples.get(matcher.group(2)) : null;
        if (multiple == null) {
            throw new IllegalArgumentException(label() + "=" + text + " is no " + unit.remedy);
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), multiple);
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Returns the value. */
    long check(long value) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(label() + "=" + text(value) + " is not in " + text(least) + ".." + text(most)
                + ": adapters use " + text(usual) + ", leave it out for that");
        }
        return value;
    }
}
