package io.rxe.tools.cli;

import java.math.BigInteger;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts sizes: {@code 4096}, {@code 64k}, {@code 1M}, {@code 1GiB}; the units are powers of 1024. */
public final class SizeConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        return (int) bytes(text, Integer.MAX_VALUE);
    }

    /** Sizes of what may be longer than an array. */
    static final class Large implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return bytes(text, Long.MAX_VALUE);
        }
    }

    private static long bytes(String text, long most) {
        String lower = text.trim().toLowerCase().replaceFirst("(?<=[kmg])i?b$", "");
        int shift = lower.endsWith("k") ? 10 : lower.endsWith("m") ? 20 : lower.endsWith("g") ? 30 : 0;
        String digits = shift == 0 ? lower : lower.substring(0, lower.length() - 1);
        BigInteger bytes = digits.matches("-?\\d+") ? new BigInteger(digits).shiftLeft(shift) : null;
        if (bytes != null && bytes.abs().compareTo(BigInteger.valueOf(most)) <= 0) {
            return bytes.longValue();
        }
        throw new TypeConversionException("'" + text + "' is not a size: write bytes, or 64k, 1m, 1g (at most " + most + " bytes)");
    }
}
