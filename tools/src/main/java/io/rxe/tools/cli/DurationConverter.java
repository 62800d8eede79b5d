package io.rxe.tools.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts times to nanoseconds: {@code 2} and {@code 0.5s} (seconds), {@code 300ms}, {@code 200us}. */
public final class DurationConverter implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(us|ms|s)?");
    private static final double LONGEST_SECONDS = 86_400;

    @Override
    public Long convert(String text) {
        Matcher matcher = FORM.matcher(text.trim().toLowerCase());
        if (matcher.matches()) {
            String unit = matcher.group(2) == null ? "s" : matcher.group(2);
            double seconds = Double.parseDouble(matcher.group(1)) * (unit.equals("s") ? 1 : unit.equals("ms") ? 1e-3 : 1e-6);
            if (seconds <= LONGEST_SECONDS) {
                return Math.round(seconds * 1e9);
            }
        }
        throw new TypeConversionException("'" + text + "' is not a time: write seconds, or 300ms, or 200us (at most a day)");
    }
}
