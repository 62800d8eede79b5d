package io.rxe.tools.dump;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts queue pair numbers, decimal or with 0x. */
public final class QpnConverter implements ITypeConverter<Integer> {
    private static final int LARGEST = 0xFF_FFFF;

    @Override
    public Integer convert(String text) {
        int number = text.trim().matches("0[xX][0-9a-fA-F]{1,7}|[1-9]\\d{0,7}|0") ? Integer.decode(text.trim()) : LARGEST + 1;
        if (number <= LARGEST) {
            return number;
        }
        throw new TypeConversionException("'" + text + "' is not a queue pair number: 0 to 0xffffff, decimal or with 0x");
    }
}
