package io.rxe.tools.cli;

import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The text of an option that a class of the product reads. */
public final class OptionText {
    private OptionText() {
    }

    /**
     * What a text says.
     *
     * @param words before the message when it says nothing that {@code parse} takes.
     * @throws ParameterException for an IllegalArgumentException of {@code parse}: a usage error with its message.
     */
    public static <T> T parse(CommandLine command, String words, Function<String, T> parse, String text) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command, words + e.getMessage(), e);
        }
    }
}
