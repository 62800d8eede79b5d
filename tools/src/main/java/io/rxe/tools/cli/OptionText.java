package io.rxe.tools.cli;

import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The text of an option that a class of the product reads. */
public final class OptionText {
    private OptionText() {
    }

    /**
     * What options say, which {@code make} reads.
     *
     * @throws ParameterException for an IllegalArgumentException of {@code make}: a usage error with its message, behind some words.
     */
    public static <T> T checked(CommandLine command, String words, Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command, words + e.getMessage(), e);
        }
    }

    /**
     * The value of an option.
     *
     * @param name before the value in the message.
     * @throws ParameterException for one that is not in {@code least..most}.
     */
    public static int inRange(CommandLine command, String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(command, name + " " + value + " is not in " + least + ".." + most);
        }
        return value;
    }

    /** What the text of an option says that takes every number of its type, which {@code parse} reads. */
    public static <T> T wholeNumber(Function<String, T> parse, T least, T most, String text) {
        try {
            return parse.apply(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not a whole number in " + least + ".." + most);
        }
    }
}
