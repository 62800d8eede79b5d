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

    /** What options say, which {@code make} reads; what it refuses is a usage error with its message, behind some words. */
    public static <T> T checked(CommandLine command, String words, Supplier<T> make) {
        return read(make, e -> new ParameterException(command, words + e.getMessage(), e));
    }

    /** What {@code make} reads; what it refuses is thrown as {@code refusal} says. */
    public static <T> T read(Supplier<T> make, Function<IllegalArgumentException, RuntimeException> refusal) {
        try {
            return make.get();
        } catch (IllegalArgumentException e) {
            throw refusal.apply(e);
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
        return read(() -> parse.apply(text),
            e -> new TypeConversionException("'" + text + "' is not a whole number in " + least + ".." + most));
    }
}
