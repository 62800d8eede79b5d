package io.rxe.tools.dump;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts queue pair numbers, decimal or with 0x. */
public final class QpnConverter implements ITypeConverter<Integer> {
    private static final int LARGEST = 0xFF_FFFF;

    @Override
    public Integer convert(String text) {
        try {
            int number = Integer.decode(text.trim());
            if (number >= 0 && number <= LARGEST) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As for a number outside.
        }
        throw new TypeConversionException("'" + text + "' is not a queue pair number: 0 to 0xffffff, decimal or with 0x");
    }
}
