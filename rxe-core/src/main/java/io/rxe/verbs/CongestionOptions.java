package io.rxe.verbs;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What decides how much may be in flight to a peer, and how fast it leaves: for all queue pairs of a NIC, or for one ({@link
 * QueuePairConfig#withCongestion}). Queue pairs of an engine that send to one peer in one traffic class share a window if they have equal
 * options. It applies to RC and XRC; UC and UD have no acknowledgements, and send at once. Immutable; any thread may call.
 *
 * @param controller the controller.
 * @param dcqcn      parameters of {@link Controller#DCQCN} that are not as usual; rates in bits per second, times in microseconds.
 */
public record CongestionOptions(Controller controller, Map<DcqcnParameter, Long> dcqcn) {
    /** The default. */
    public static final CongestionOptions DELAY = new CongestionOptions(Controller.DELAY, Map.of());
    /** DCQCN with the parameters that adapters have by default. */
    public static final CongestionOptions DCQCN = new CongestionOptions(Controller.DCQCN, Map.of());
    /** No congestion control. */
    public static final CongestionOptions NONE = new CongestionOptions(Controller.NONE, Map.of());

    /** The controllers. */
    public enum Controller {
        /** Follows how long packets wait in queues, losses and CNPs. For any path. */
        DELAY,
        /**
         * The rate control of adapters, which follows CNPs: for networks whose routers mark packets and lose none. Marks need {@code
         * EcnOptions} at both ends.
         */
        DCQCN,
        /** As much as the configuration allows, at once, whatever happens: for measurements, and networks with a control of their own. */
        NONE
    }

    /** @throws IllegalArgumentException for a parameter out of range, for parameters of another controller, and where the limits cross. */
    public CongestionOptions {
        Objects.requireNonNull(controller, "the controller is null: use DELAY, DCQCN or NONE");
        Objects.requireNonNull(dcqcn, "the parameters are null: give an empty map");
        dcqcn.forEach(DcqcnParameter::check);
        int given = dcqcn.size();
        dcqcn = dcqcn.entrySet().stream().filter(entry -> entry.getValue() != entry.getKey().defaultValue())
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
        if (controller != Controller.DCQCN && given > 0) {
            throw new IllegalArgumentException(name(controller) + " has no parameters, and " + given + " were given: leave them out, or"
                + " use dcqcn");
        }
        long least = value(dcqcn, DcqcnParameter.RPG_MIN_RATE);
        checkReaches(dcqcn, DcqcnParameter.RPG_MAX_RATE, least);
        checkReaches(dcqcn, DcqcnParameter.RATE_TO_SET_ON_FIRST_CNP, least);
    }

    private static void checkReaches(Map<DcqcnParameter, Long> given, DcqcnParameter rate, long least) {
        long value = value(given, rate);
        if (value != 0 && value < least) {
            throw new IllegalArgumentException(rate.label() + "=" + rate.text(value) + " is less than rpg_min_rate="
                + rate.text(least) + ": raise it, lower rpg_min_rate, or leave it out for the rate of the line");
        }
    }

    /**
     * Reads a controller with parameters, as options and environment variables give them: {@code dcqcn,rpg_ai_rate=20mbit}.
     *
     * @param text {@code delay}, {@code dcqcn} or {@code none}; behind dcqcn parameters, NAME=VALUE, with commas between them. Rates have
     *             kbit, mbit or gbit, times us or ms behind them; without, they are in Mbit/s and microseconds, as adapters have them.
     * @throws IllegalArgumentException for an unknown controller or parameter, one that is there twice, and a value out of range; naming
     *                                  it, the limit, and what to do.
     */
    public static CongestionOptions parse(String text) {
        String[] words = text.strip().split(",", -1);
        CongestionOptions options = switch (words[0].toLowerCase(Locale.ROOT)) {
            case "delay" -> DELAY;
            case "dcqcn" -> DCQCN;
            case "none" -> NONE;
            default -> throw new IllegalArgumentException("'" + words[0] + "' is no congestion controller: use delay, which follows how"
                + " long packets wait, dcqcn, which follows the marks of routers, or none");
        };
        Map<DcqcnParameter, Long> given = new EnumMap<>(DcqcnParameter.class);
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + words[i] + "' has no value: write NAME=VALUE, such as rpg_ai_rate=5mbit");
            }
            DcqcnParameter parameter = DcqcnParameter.named(words[i].substring(0, equals).toLowerCase(Locale.ROOT));
            if (given.put(parameter, parameter.check(parameter.parse(words[i].substring(equals + 1)))) != null) {
                throw new IllegalArgumentException(parameter.label() + " is there twice, once is allowed: leave one out");
            }
        }
        return new CongestionOptions(options.controller, given);
    }

    /**
     * Returns a copy with another parameter.
     *
     * @param value rates in bits per second, times in microseconds.
     * @throws IllegalArgumentException when it is out of range, and when the controller is another than DCQCN.
     */
    public CongestionOptions with(DcqcnParameter parameter, long value) {
        Map<DcqcnParameter, Long> given = new EnumMap<>(DcqcnParameter.class);
        given.putAll(dcqcn);
        given.put(parameter, value);
        return new CongestionOptions(controller, given);
    }

    /** A parameter of DCQCN, as usual where it was not set; rates in bits per second, times in microseconds. */
    public long value(DcqcnParameter parameter) {
        return value(dcqcn, parameter);
    }

    private static long value(Map<DcqcnParameter, Long> given, DcqcnParameter parameter) {
        return given.getOrDefault(parameter, parameter.defaultValue());
    }

    private static String name(Controller controller) {
        return controller.name().toLowerCase(Locale.ROOT);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name(controller));
        for (DcqcnParameter parameter : DcqcnParameter.values()) {
            if (dcqcn.containsKey(parameter)) {
                text.append(',').append(parameter.label()).append('=').append(parameter.text(dcqcn.get(parameter)));
            }
        }
        return text.toString();
    }
}
